import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { secretFields } from '@vedette/shared/secret-fields'
import { expect, test } from 'vitest'

const MODULE = fileURLToPath(new URL('./log.ts', import.meta.url))

test('log lines are JSON on standard error and hold no secrets, however deep they slip in', () => {
  const code = `
    import { createLog } from ${JSON.stringify(MODULE)}
    const log = createLog('info')
    log.info({ token: 'hunter2', user: { password: 'hunter2', headers: { authorization: 'hunter2' } }, host: 'db' }, 'said')
    log.debug({ host: 'x' }, 'not said')`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', `${code}; console.log('done')`], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
  expect(output).toBe('done\n')
  const said = execFileSync('/bin/sh', ['-c', '"$0" --input-type=module -e "$1" 2>&1 >/dev/null', process.execPath, code], {
    encoding: 'utf8',
  })
  const lines = said.trim().split('\n')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'said',
    token: '[redacted]',
    host: 'db',
    user: { password: '[redacted]' },
  })
  expect(said).not.toContain('hunter2')
})

test('a log line has no value of a field that the contract marks as a secret', () => {
  // `code` is also the code of an error, `url` any URL.
  const names = [...new Set(secretFields().map((field) => field.split('.').at(-1) as string))].filter(
    (name) => !/^(code|url)$/.test(name),
  )
  expect(names).toContain('totp_code')
  const code = `
    import { createLog } from ${JSON.stringify(MODULE)}
    for (const name of ${JSON.stringify(names)}) createLog('info').info({ [name]: 'hunter2' }, name)`
  const lines = execFileSync('/bin/sh', ['-c', '"$0" --input-type=module -e "$1" 2>&1', process.execPath, code], {
    encoding: 'utf8',
  })
  expect(lines.trim().split('\n')).toHaveLength(names.length)
  expect(lines).not.toContain('hunter2')
})
