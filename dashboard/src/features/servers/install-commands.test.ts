import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { addressForHosts, INSTALL_METHODS, installCommands, isLoopback, needsAllowHttp, urlInScript } from './install-commands.ts'

const TARGET = { url: 'https://v.example', scriptUrl: 'https://v.example', token: 'vdt_enr_x' }
const PLAIN = { url: 'http://v.example:8080', scriptUrl: 'http://other.example', token: 'vdt_enr_x' }

describe('the install commands', () => {
  it('are one line on Linux and macOS, and one on Windows', () => {
    expect(installCommands('unix', TARGET)).toEqual(['curl -fsSL https://v.example/install.sh | sudo sh -s -- vdt_enr_x'])
    expect(installCommands('windows', TARGET)).toEqual([
      '& ([scriptblock]::Create((irm https://v.example/install.ps1))) vdt_enr_x',
    ])
  })

  it('name the address where the script has another one, and allow plain HTTP', () => {
    expect(installCommands('unix', PLAIN)).toEqual([
      'curl -fsSL http://v.example:8080/install.sh | sudo sh -s -- --url http://v.example:8080 --allow-http vdt_enr_x',
    ])
    expect(installCommands('windows', PLAIN)).toEqual([
      '& ([scriptblock]::Create((irm http://v.example:8080/install.ps1))) -Url http://v.example:8080 -AllowHttp vdt_enr_x',
    ])
  })

  it('run the agent in place of the shell of a container, which knows the address when it is made again', () => {
    expect(installCommands('docker', PLAIN).join('\n')).toContain(
      `sh -c 'curl -fsSL http://v.example:8080/install.sh > /run/install.sh && exec sh /run/install.sh --foreground --url http://v.example:8080 --allow-http vdt_enr_x'`,
    )
    for (const method of ['docker', 'compose'] as const) {
      const text = installCommands(method, PLAIN).join('\n')
      for (const name of ['HOST_ROOT', 'URL', 'ALLOW_HTTP']) expect(text).toContain(`VEDETTE_AGENT_${name}`)
      expect(installCommands(method, TARGET).join('\n')).not.toContain('ALLOW_HTTP')
    }
  })

  it.each(INSTALL_METHODS)('of the method %s contain the token once, and the address', (method) => {
    const text = installCommands(method, TARGET).join('\n')
    expect(text.split(TARGET.token)).toHaveLength(2)
    expect(text).toContain(TARGET.url)
  })

  it('use only options that the scripts have', () => {
    const [shell, powerShell] = ['install.sh', 'install.ps1'].map((name) => readFileSync(`installers/scripts/${name}`, 'utf8'))
    for (const method of ['unix', 'docker', 'compose', 'cloudInit', 'ansible'] as const)
      for (const option of /install\.sh (?:\| .*sh -s -- |--foreground ).*$/m
        .exec(installCommands(method, PLAIN).join('\n'))?.[0]
        .match(/ --[a-z-]+/g) ?? [])
        expect(shell).toContain(`${option}) `)
    for (const option of ['Url', 'AllowHttp', 'Token'])
      expect(powerShell).toMatch(new RegExp(`^  \\[(?:string|switch)\\]\\$${option},$`, 'm'))
  })

  it.each([
    ['https://v.example', false],
    ['http://127.0.0.1:8080', false],
    ['http://localhost:8080', false],
    ['http://[::1]:8080', false],
    ['http://10.0.0.5:8080', true],
    ['http://v.example', true],
  ])('%s needs the option for plain HTTP: %s', (url, isNeeded) => {
    expect(needsAllowHttp(url)).toBe(isNeeded)
    expect(installCommands('clone', { ...TARGET, url })[1]?.includes(' --allow-http ')).toBe(isNeeded)
  })
})

it.each([
  ['http://localhost:8080', true],
  ['http://127.0.0.1:8080', true],
  ['https://[::1]', true],
  ['http://192.0.2.7:8080', false],
  ['https://vedette.example.com', false],
])('%s is an address of this machine alone: %s', (origin, expected) => expect(isLoopback(origin)).toBe(expected))

it.each([
  ['https://public.example', 'https://inside.example', 'https://public.example', 'the configured address'],
  ['http://v.example', 'https://v.example', 'https://v.example', 'the scheme of the page, which a proxy adds'],
  ['http://127.0.0.1:8080', 'https://v.example', 'https://v.example', 'that of the page, if the other is loopback'],
  ['https://v.example', 'http://127.0.0.1:8080', 'https://v.example', 'the configured address, seen from the machine itself'],
  ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080', 'that of the page, if both are loopback'],
  [undefined, 'https://v.example', 'https://v.example', 'that of the page, if the script has none'],
])('hosts of a backend that calls itself %s, seen at %s, use %s: %s', (script, page, expected, _reason) =>
  expect(addressForHosts(script, page)).toBe(expected),
)

it('finds the address in the script that the backend filled in', () => {
  expect(urlInScript("#!/bin/sh\nBACKEND_URL='https://v.example'\nRELEASES_URL=''\n")).toBe('https://v.example')
  expect(urlInScript(readFileSync('installers/scripts/install.sh', 'utf8'))).toBeUndefined()
})
