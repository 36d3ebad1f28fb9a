import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'
import { NODE_FLAGS } from './src/process/node-flags.ts'
import { AGENT_VERSION } from './src/version.ts'

/** Escapes characters beyond Latin-1: a single one makes V8 store the whole file with two bytes per character. */
function escapeWide(text: string): string {
  return text.replaceAll(/[\u0100-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const narrow: Plugin = {
  name: 'narrow',
  // The last hook, because earlier printing would write the characters unescaped.
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escapeWide(file.code)
  },
}

/** The package folder of a module; undefined for the sources of the agent. */
const packageFolder = (module: string) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]

function describePackage(folder: string) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return { name, version, license, licenseText: file === undefined ? '' : readFileSync(join(folder, file), 'utf8') }
}

/** Writes the contents of the bundle and the flags of Node to bundle.json, for packaging. */
const describe: Plugin = {
  name: 'describe',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []))
    const folders = new Set(modules.flatMap((module) => packageFolder(module) ?? []))
    const packages = [...folders].sort().map(describePackage)
    const source = JSON.stringify({ version: AGENT_VERSION, nodeFlags: NODE_FLAGS, packages }, null, 2)
    this.emitFile({ type: 'asset', fileName: 'bundle.json', source })
  },
}

/**
 * CommonJS, because the loader of ES modules costs a process 10 MB. Lazily imported libraries (YAML, systeminformation) are separate
 * files, because a process keeps the text of every loaded file in memory.
 */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [narrow, describe],
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: 'vedette-agent.cjs',
    chunkFileNames: 'vedette-agent-[name].cjs',
    format: 'cjs',
    // Names stay, so that a trace says where it was.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
})
