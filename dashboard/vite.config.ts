import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'

/** Below this a compressed file saves nothing worth a second file. */
const SMALLEST_BYTES = 1_024

/** Each file of the build compressed beside itself, so that no backend compresses the same bytes for each visitor. */
function precompress(): Plugin {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir)
    },
    closeBundle: () => {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      for (const path of names
        .filter((name) => /\.(?:js|css|html|svg|webmanifest)$/.test(name))
        .map((name) => join(folder, name))) {
        const content = readFileSync(path)
        if (content.length < SMALLEST_BYTES) continue
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
      }
    },
  }
}

export default defineConfig({
  plugins: [tailwind(), precompress()],
  build: {
    // The content security policy takes scripts and styles from files of the same origin only, and no data: but for pictures.
    modulePreload: { polyfill: false },
    // Which part needs which: a test adds up the first load by it. Files with a dot before their name are not served.
    manifest: true,
    assetsInlineLimit: 0,
    target: 'baseline-widely-available',
    // The libraries mark files for servers that render; here is none.
    rolldownOptions: { onLog: (level, log, keep) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && keep(level, log) },
  },
})
