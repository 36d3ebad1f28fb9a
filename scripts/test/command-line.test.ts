import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, isMissing } from '../test-tools.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'vdt-command-line-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Described {
  name: string
  options: string[]
}

const print = (main: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, main), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  })

/** From the help, which the programs parse by. */
function commandsOfBackend(): Described[] {
  const { commands } = JSON.parse(print('backend/src/main.ts', 'help', '--json')) as {
    commands: { name: string; options: Record<string, unknown> }[]
  }
  return commands.map(({ name, options }) => ({ name, options: Object.keys(options) }))
}

function commandsOfAgent(): Described[] {
  const lines = print('agent/src/main.ts', 'help').split('\n')
  const commands: Described[] = []
  for (const line of lines.slice(
    0,
    lines.findIndex((one) => one.startsWith('  --')),
  )) {
    const command = /^ {2}(\w+(?: \w+)?)  /.exec(line)?.[1]
    const option = /^ {6}--([\w-]+)/.exec(line)?.[1]
    if (command !== undefined && command !== 'help') commands.push({ name: command, options: [] })
    if (option !== undefined) commands.at(-1)?.options.push(option)
  }
  return commands
}

describe.each([
  ['vedette', 'backend/src/main.ts', commandsOfBackend, 'env-file'],
  ['vedette-agent', 'agent/src/main.ts', commandsOfAgent, 'config'],
] as const)('%s', (program, main, readCommands, fileOption) => {
  let commands: Described[]
  const scripts: Record<string, string> = {}
  let page: string
  beforeAll(() => {
    commands = readCommands()
    for (const shell of ['bash', 'zsh', 'fish']) {
      scripts[shell] = join(folder, `${program}.${shell}`)
      writeFileSync(scripts[shell], print(main, 'completion', shell))
    }
    page = join(folder, `${program}.1`)
    writeFileSync(page, print(main, 'man'))
    mkdirSync(join(folder, 'a folder'), { recursive: true })
    writeFileSync(join(folder, 'a file'), '')
  }, 60_000)

  /** What the shell proposes for the words, of which the last one is being typed. */
  type Complete = (...words: string[]) => string[]
  const lines = (text: string) => text.split('\n').filter((line) => line !== '')

  function expectComplete(complete: Complete): void {
    expect(commands.length).toBeGreaterThan(10)
    const first = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
    expect(complete('')).toEqual(expect.arrayContaining([...first, 'help']))
    for (const { name, options } of commands) {
      const words = name.split(' ')
      const listed = words.length > 1 ? complete(words[0] ?? '', '') : first
      expect(listed).toContain(words.at(-1))
      const proposed = complete(...words, '--')
      expect([name, proposed]).toEqual([
        name,
        expect.arrayContaining([...options, fileOption, 'help'].map((option) => `--${option}`)),
      ])
      expect([name, proposed.filter((option) => !option.startsWith('-'))]).toEqual([name, []])
    }
    expect(complete('completion', '').toSorted()).toEqual(['bash', 'fish', 'zsh'])
    expect(
      complete('version', `--${fileOption}`, 'a f')
        .map((name) => name.replace(/\/$/, ''))
        .toSorted(),
    ).toEqual(['a file', 'a folder'])
    expect(complete(`--${fileOption}`, 'a file', 'vers')).toEqual(['version'])
  }

  test.skipIf(isMissing('bash'))('bash completes every command, its options and files', () => {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _${program.replace('-', '_')}; printf '%s\\n' "\${COMPREPLY[@]}"`
    expectComplete((...words) => {
      const args = ['--norc', '-eu', '-c', script, 'bash', scripts['bash'] ?? '', program, ...words]
      const { stdout, stderr } = spawnSync('bash', args, { cwd: folder, encoding: 'utf8' })
      expect(stderr).toBe('')
      return lines(stdout)
    })
  })

  test.skipIf(isMissing('bash'))('bash has it for the name of the program, and completes --option=value', () => {
    const script = `source "$1"; complete -p ${program}; COMP_WORDS=(${program} version --${fileOption} = 'a fo'); COMP_CWORD=4; _${program.replace('-', '_')}; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = spawnSync('bash', ['--norc', '-c', script, 'bash', scripts['bash'] ?? ''], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(lines(stdout)).toEqual([`complete -F _${program.replace('-', '_')} ${program}`, 'a folder'])
  })

  test.skipIf(isMissing('fish'))('fish completes every command, its options and files', () => {
    const quoted = (word: string) => word.replaceAll(' ', '\\ ')
    expectComplete((...words) => {
      const line = [program, ...words.map(quoted)].join(' ')
      const args = ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', scripts['fish'] ?? '', line]
      const { stdout, stderr } = spawnSync(findTool('fish') ?? '', args, {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      })
      expect(stderr).toBe('')
      return lines(stdout).map((one) => (one.split('\t')[0] ?? '').replaceAll('\\', ''))
    })
  })

  test.skipIf(isMissing('zsh'))('zsh takes the script, which has every command and option', () => {
    const args = ['-f', '-c', 'autoload -Uz compinit && compinit -u -d "$2" && source "$1" && print $_comps[$3]', 'zsh']
    const { stdout, stderr } = spawnSync('zsh', [...args, scripts['zsh'] ?? '', join(folder, 'dump'), program], {
      encoding: 'utf8',
    })
    expect([stdout.trim(), stderr]).toEqual([`_${program.replace('-', '_')}`, ''])
    const text = print(main, 'completion', 'zsh')
    for (const { name, options } of commands) {
      expect(text).toContain(`'${name}'|'${name} '*)`)
      for (const option of options) expect(text).toContain(`'--${option}:`)
    }
  })

  const readers: [string, string[]][] = [
    ['groff', ['-man', '-Tutf8', '-ww']],
    ['mandoc', ['-Tutf8', '-Werror']],
    ['man', ['--warnings', '-P', 'cat', '-l']],
  ]
  test.skipIf(isMissing('groff', 'mandoc', 'man')).each(readers)(
    '%s reads the manual page, with every command and option',
    (reader, args) => {
      const { stdout, stderr, status } = spawnSync(reader, [...args, page], {
        encoding: 'utf8',
        env: { ...process.env, MANWIDTH: '200', LC_ALL: 'C.UTF-8' },
      })
      expect([status, stderr]).toEqual([0, ''])
      // Bold is overstruck, or an escape of the terminal.
      // oxlint-disable-next-line no-control-regex -- these are what a terminal gets
      const text = stdout.replaceAll(/.\u0008|\u001b\[\d*m/g, '').replaceAll(/\s+/g, ' ')
      for (const { name, options } of commands) {
        expect(text).toContain(`${program} ${name}`)
        for (const option of options) expect(text).toContain(`--${option}`)
      }
      for (const title of ['NAME', 'SYNOPSIS', 'COMMANDS', 'OPTIONS', 'FILES', 'EXIT STATUS']) expect(text).toContain(title)
    },
  )
})
