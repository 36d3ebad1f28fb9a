import { defineConfig } from 'rolldown'

/** One file for browsers and Node; nothing stays outside, because of what it imports only types remain. */
export default defineConfig({
  input: 'src/index.ts',
  platform: 'neutral',
  output: { file: 'dist/client.js', format: 'esm', minify: true },
})
