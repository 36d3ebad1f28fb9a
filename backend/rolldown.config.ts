import { defineConfig } from 'rolldown'

/** One file; what is native or finds its own files at run time stays outside. */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  external: ['@node-rs/argon2', 'pg-native', '@fastify/swagger-ui', '@fastify/static'],
  output: { file: 'dist/vedette.mjs', format: 'esm' },
})
