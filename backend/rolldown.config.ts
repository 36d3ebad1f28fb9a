import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown'

/** Escapes characters beyond ASCII: a single one makes V8 hold the whole file with two bytes per character. */
const narrow: Plugin = {
  name: 'narrow',
  // The last hook, because earlier printing would write the characters unescaped.
  generateBundle: (_, bundle) => {
    const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = file.code.replaceAll(/[\u0080-\uffff]/g, escape)
  },
}

/**
 * Into a folder as deep below the checkout as `src/platform`, whose `HOME_FOLDER` finds the program's other files. What is native or
 * finds its own files at run time stays outside. Names stay, so that a trace says where it was.
 */
const common: RolldownOptions = {
  platform: 'node',
  external: ['@node-rs/argon2', 'pg-native', '@fastify/swagger-ui', '@fastify/static'],
  plugins: [narrow],
}
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

export default defineConfig([
  // What is imported late is a file of its own: a process holds the text of every file that it has loaded.
  {
    ...common,
    input: 'src/main.ts',
    output: {
      dir: 'dist/bundle',
      cleanDir: true,
      entryFileNames: 'vedette.mjs',
      chunkFileNames: 'vedette-[name].mjs',
      format: 'esm',
      minify,
    },
  },
  // The thread that checks; `src/monitoring/checks/probe/thread.ts` knows its name.
  {
    ...common,
    input: 'src/monitoring/checks/probe/worker.ts',
    output: { file: 'dist/bundle/vedette-prober.mjs', format: 'esm', codeSplitting: false, minify },
  },
  // The thread that renders templates; `src/notifying/notifications/messages/templates.ts` knows its name.
  {
    ...common,
    input: 'src/notifying/notifications/messages/template-worker.ts',
    output: { file: 'dist/bundle/vedette-templates.mjs', format: 'esm', codeSplitting: false, minify },
  },
  // The threads that evaluate PromQL; `src/querying/promql/pool/pool.ts` knows their name.
  {
    ...common,
    input: 'src/querying/promql/pool/worker.ts',
    output: { file: 'dist/bundle/vedette-queries.mjs', format: 'esm', codeSplitting: false, minify },
  },
])
