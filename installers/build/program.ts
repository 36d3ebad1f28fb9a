import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fetchBase, fetchLibatomic } from './bases.ts'
import { signAdHoc } from './mach-o.ts'
import { removeSignature } from './pe.ts'
import type { Target } from './targets.ts'
import { type Build, findProgram, run } from './tools.ts'

/** The description of the bundle that the agent's bundler writes. */
export interface Bundle {
  version: string
  nodeFlags: readonly string[]
  packages: readonly { name: string; version: string; license: string; licenseText: string }[]
}

const MAIN = 'vedette-agent.cjs'
/** The last one has the bundler's own functions, which several files use. */
const CHUNKS = ['command-line', 'dist', 'exporter', 'lib', 'rolldown-runtime'].map((name) => `vedette-agent-${name}.cjs`)

/**
 * Prepended to the agent: in a single executable `require` only loads Node's modules, and other files are assets.
 */
const PRELUDE = `require=((own)=>{const{getAsset}=process.getBuiltinModule('node:sea');const loaded={'./${MAIN}':exports};return function load(id){if(!id.startsWith('./'))return own(id);if(!(id in loaded)){const module={exports:{}};loaded[id]=module.exports;new Function('require','module','exports',getAsset(id.slice(2),'utf8'))(load,module,module.exports);loaded[id]=module.exports}return loaded[id]}})(require);`

const bundleFolder = (build: Build) => join(build.work, 'bundle')

/** Bundles the agent into the temporary folder of this build. */
export async function bundleAgent(build: Build): Promise<Bundle> {
  const rolldown = join(build.root, 'node_modules/rolldown/bin/cli.mjs')
  const args = [rolldown, '-c', 'rolldown.config.ts', '--dir', bundleFolder(build)]
  await run(build, process.execPath, args, join(build.root, 'agent'))
  return readBundle(build)
}

function readBundle(build: Build): Bundle {
  return JSON.parse(readFileSync(join(bundleFolder(build), 'bundle.json'), 'utf8')) as Bundle
}

/**
 * Builds the program of a target with its libraries: `bin/` and `lib/` in `folder`. Only this order works: strip, inject, set the
 * library path.
 */
export async function makeProgram(build: Build, target: Target, folder: string): Promise<string> {
  const program = join(folder, 'bin', target.os === 'win' ? 'vedette-agent.exe' : 'vedette-agent')
  const seaFolder = join(build.work, `sea-${target.name}`)
  for (const made of [dirname(program), seaFolder]) mkdirSync(made, { recursive: true })
  const base = await fetchBase(build, target.base)
  await copyBase(build, target, join(base, target.base.program), join(seaFolder, 'node'))
  await inject(build, target, seaFolder)
  copyFileSync(join(seaFolder, 'program'), program)
  chmodSync(program, 0o755)
  if (target.os === 'darwin') writeFileSync(program, signAdHoc(readFileSync(program), 'vedette-agent'))
  if (target.os === 'win') writeFileSync(program, removeSignature(readFileSync(program)))
  if (target.libatomic) {
    const library = join(folder, 'lib/vedette/libatomic.so.1')
    mkdirSync(dirname(library), { recursive: true })
    copyFileSync(await fetchLibatomic(build, target.libatomic), library)
    chmodSync(library, 0o644)
    await run(build, 'patchelf', ['--set-rpath', '$ORIGIN/../lib/vedette:$ORIGIN/lib', program])
  }
  return program
}

async function copyBase(build: Build, { strip }: Target, from: string, to: string): Promise<void> {
  if (strip === undefined) copyFileSync(from, to)
  else await run(build, findProgram(build, strip), ['-o', to, from])
}

/** All names are relative, because the program contains the path of its main file. */
async function inject(build: Build, target: Target, folder: string): Promise<void> {
  const dist = bundleFolder(build)
  writeFileSync(join(folder, MAIN), PRELUDE + readFileSync(join(dist, MAIN), 'utf8'))
  for (const name of CHUNKS) copyFileSync(join(dist, name), join(folder, name))
  writeFileSync(join(folder, 'release-keys.pem'), build.releaseKeys)
  const { nodeFlags } = readBundle(build)
  const config = {
    main: MAIN,
    executable: 'node',
    output: 'program',
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Valid only for the processor and system that built it.
    useCodeCache: target.name === `${process.platform}-${process.arch}`,
    execArgv: nodeFlags,
    execArgvExtension: 'none',
    assets: Object.fromEntries([...CHUNKS, 'release-keys.pem'].map((name) => [name, name])),
  }
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
  const builder = target.builder ? join(await fetchBase(build, target.builder), target.builder.program) : process.execPath
  // V8 rejects the code cache with other flags; the seed is not among them and makes the cache reproducible.
  await run(build, builder, [...nodeFlags, '--random-seed=1', '--build-sea', 'sea.json'], folder)
}
