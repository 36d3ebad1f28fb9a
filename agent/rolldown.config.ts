import { defineConfig } from 'rolldown'

/** One CommonJS file: the loader of ES modules alone costs a process 10 MB. What is imported late is in it, but runs late. */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  output: { file: 'dist/vedette-agent.cjs', format: 'cjs', codeSplitting: false, minify: false },
})
