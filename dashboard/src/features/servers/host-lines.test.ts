import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hostLines, needsHttpLeave } from './host-lines.ts'

describe('the lines for a host', () => {
  it('hand the key over by a file of its owner alone, which is gone afterwards', () => {
    expect(hostLines('linux', { origin: 'https://v.example', key: 'vdt_key_x' })).toEqual([
      "(umask 077; printf '%s' 'vdt_key_x' > vedette.key)",
      'sudo vedette-agent register --url https://v.example --api-key-file vedette.key && rm vedette.key',
      'sudo vedette-agent run',
    ])
  })

  it('name the script of the backend, by which one line installs, registers and starts', () => {
    expect(hostLines('unix', { origin: 'https://v.example', key: 'vdt_key_x' })).toEqual([
      "(umask 077; printf '%s' 'vdt_key_x' > vedette.key)",
      'curl -fsSL https://v.example/install.sh | sudo sh -s -- --url https://v.example --api-key-file vedette.key && rm vedette.key',
    ])
    expect(hostLines('windows', { origin: 'http://v.example', key: 'vdt_key_x' })).toEqual([
      `Set-Content -NoNewline -Encoding ASCII "$env:TEMP\\vedette.key" 'vdt_key_x'`,
      '& ([scriptblock]::Create((irm http://v.example/install.ps1))) -Url http://v.example -ApiKeyFile "$env:TEMP\\vedette.key" -AllowHttp',
      'Remove-Item "$env:TEMP\\vedette.key"',
    ])
  })

  it('give the scripts only options that they have', () => {
    const wish = { origin: 'http://v.example', key: 'k' }
    const [shell, powerShell] = ['install.sh', 'install.ps1'].map((name) => readFileSync(`installers/scripts/${name}`, 'utf8'))
    for (const option of hostLines('unix', wish)
      .join(' ')
      .match(/ --[a-z-]+/g) ?? [])
      expect(shell).toContain(`${option}) `)
    for (const option of ['Url', 'ApiKeyFile', 'AllowHttp']) {
      expect(hostLines('windows', wish)[1]).toContain(` -${option}`)
      expect(powerShell).toMatch(new RegExp(`^  \\[(?:string|switch)\\]\\$${option},$`, 'm'))
    }
  })

  it.each([
    ['https://v.example', false],
    ['http://127.0.0.1:8080', false],
    ['http://localhost:8080', false],
    ['http://[::1]:8080', false],
    ['http://10.0.0.5:8080', true],
    ['http://v.example', true],
  ])('%s takes a leave to send unencrypted: %s', (origin, wanted) => {
    expect(needsHttpLeave(origin)).toBe(wanted)
    expect(hostLines('clone', { origin, key: 'k' })[1]?.includes(' --allow-http ')).toBe(wanted)
  })
})
