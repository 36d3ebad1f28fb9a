import { defineConfig, type RolldownOptions } from 'rolldown'

/** One file each; what is native or finds its own files at run time stays outside. */
const common: RolldownOptions = {
  platform: 'node',
  external: ['@node-rs/argon2', 'pg-native', '@fastify/swagger-ui', '@fastify/static'],
}

export default defineConfig([
  { ...common, input: 'src/main.ts', output: { file: 'dist/vedette.mjs', format: 'esm', codeSplitting: false } },
  // The thread that checks; `src/checks/probe/thread.ts` knows its name.
  { ...common, input: 'src/checks/probe/worker.ts', output: { file: 'dist/vedette-prober.mjs', format: 'esm' } },
])
