import { expect, it } from 'vitest'
import { createLog } from './log.ts'

it('a log line has no character that steers a terminal or turns its text around, and is the same JSON', () => {
  const lines: string[] = []
  const mount = '/mnt/\u001b[2J\u009b31m\u202egpj\u2028'
  createLog(
    () => 0,
    (line) => void lines.push(line),
  )('info', mount, { mount })
  expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: mount, mount })
})
