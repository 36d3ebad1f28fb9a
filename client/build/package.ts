// Builds the package that outsiders install: client/dist. In the workspace the sources are used as they are.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'rolldown'
import { wireTypes } from './wire-types.ts'

const client = join(import.meta.dirname, '..')
const repository = join(client, '..')

/** Builds into the folder `to`, which is emptied. Runs the type checker for the declarations of the sources. */
export async function buildPackage(to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const input = { input: join(client, 'src/index.ts'), platform: 'neutral' as const }
  await build({ ...input, output: { file: join(to, 'index.js'), format: 'esm' } })
  await build({ ...input, output: { file: join(to, 'index.cjs'), format: 'cjs' } })
  writeDeclarations(to)
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  writeFileSync(join(to, 'README.md'), readme())
  cpSync(join(repository, 'LICENSE'), join(to, 'LICENSE'))
}

/** For each module a declaration for `import` and one for `require`: TypeScript takes a module's kind from its extension. */
function writeDeclarations(to: string): void {
  execFileSync(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-b', client])
  const emitted = join(repository, '.tsc/client/src')
  const names = globSync('*.d.ts', { cwd: emitted }).filter((name) => !name.includes('.test.'))
  for (const file of names) {
    const name = file.replace('.d.ts', '')
    const text = name === 'wire' ? wireTypes() : readFileSync(join(emitted, file), 'utf8')
    for (const [extension, module] of [
      ['d.ts', 'js'],
      ['d.cts', 'cjs'],
    ])
      writeFileSync(join(to, `${name}.${extension}`), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, `$1.${module}'`))
  }
}

function manifest(): object {
  const { name, version, license } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as Record<string, string>
  return {
    name,
    version,
    description: "Typed client of Vedette's API",
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './index.d.cts', default: './index.cjs' },
      },
      './package.json': './package.json',
    },
    files: ['*.js', '*.cjs', '*.d.ts', '*.d.cts'],
  }
}

/** Links into the repository lead nowhere from a package: their text says which file is meant. */
const readme = () =>
  readFileSync(join(client, 'README.md'), 'utf8').replaceAll(
    /\[([^\]]+)\]\(\.\.\/([^)#]+)[^)]*\)/g,
    '$1 (`$2` of the repository)',
  )
