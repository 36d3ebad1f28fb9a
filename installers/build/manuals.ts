import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Build, run } from './tools.ts'

const MAINS = { vedette: 'backend/src/main.ts', 'vedette-agent': 'agent/src/main.ts' } as const

/** Writes the manual page and the completions of a program into the tree of a package; returns their paths in it. */
export async function writeManuals(build: Build, program: keyof typeof MAINS, root: string): Promise<string[]> {
  const print = (...args: string[]) => run(build, process.execPath, [join(build.root, MAINS[program]), ...args])
  const files: Readonly<Record<string, string | Buffer>> = {
    [`usr/share/man/man1/${program}.1.gz`]: gzipSync(await print('man'), { level: 9 }),
    [`usr/share/bash-completion/completions/${program}`]: await print('completion', 'bash'),
    [`usr/share/zsh/site-functions/_${program}`]: await print('completion', 'zsh'),
    [`usr/share/fish/vendor_completions.d/${program}.fish`]: await print('completion', 'fish'),
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content, { mode: 0o644 })
  }
  return Object.keys(files)
}
