import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { installCommands, isLoopback, needsAllowHttp } from './install-commands.ts'

describe('the install commands', () => {
  it('pass the key in a file that only its owner can read, and delete the file', () => {
    expect(installCommands('linux', { origin: 'https://v.example', key: 'vdt_key_x' })).toEqual([
      "(umask 077; printf '%s' 'vdt_key_x' > vedette.key)",
      'sudo vedette-agent register --url https://v.example --api-key-file vedette.key && rm vedette.key',
      'sudo systemctl enable --now vedette-agent',
    ])
  })

  it('use the install script of the backend to install, register and start in one line', () => {
    expect(installCommands('unix', { origin: 'https://v.example', key: 'vdt_key_x' })).toEqual([
      "(umask 077; printf '%s' 'vdt_key_x' > vedette.key)",
      'curl -fsSL https://v.example/install.sh | sudo sh -s -- --url https://v.example --api-key-file vedette.key && rm vedette.key',
    ])
    expect(installCommands('windows', { origin: 'http://v.example', key: 'vdt_key_x' })).toEqual([
      `Set-Content -NoNewline -Encoding ASCII "$env:TEMP\\vedette.key" 'vdt_key_x'`,
      '& ([scriptblock]::Create((irm http://v.example/install.ps1))) -Url http://v.example -ApiKeyFile "$env:TEMP\\vedette.key" -AllowHttp',
      'Remove-Item "$env:TEMP\\vedette.key"',
    ])
  })

  it('use only options that the scripts have', () => {
    const target = { origin: 'http://v.example', key: 'k' }
    const [shell, powerShell] = ['install.sh', 'install.ps1'].map((name) => readFileSync(`installers/scripts/${name}`, 'utf8'))
    for (const option of installCommands('unix', target)
      .join(' ')
      .match(/ --[a-z-]+/g) ?? [])
      expect(shell).toContain(`${option}) `)
    for (const option of ['Url', 'ApiKeyFile', 'AllowHttp']) {
      expect(installCommands('windows', target)[1]).toContain(` -${option}`)
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
  ])('%s needs the option for plain HTTP: %s', (origin, isNeeded) => {
    expect(needsAllowHttp(origin)).toBe(isNeeded)
    expect(installCommands('clone', { origin, key: 'k' })[1]?.includes(' --allow-http ')).toBe(isNeeded)
  })
})

it.each([
  ['http://localhost:8080', true],
  ['http://127.0.0.1:8080', true],
  ['https://[::1]', true],
  ['http://192.0.2.7:8080', false],
  ['https://vedette.example.com', false],
])('%s is an address of this machine alone: %s', (origin, expected) => expect(isLoopback(origin)).toBe(expected))
