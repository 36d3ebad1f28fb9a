import { defineConfig, type Plugin } from 'rolldown'

/** What is beyond Latin-1 as an escape: one such character makes V8 hold the whole text of the file in two bytes each. */
function escapeWide(text: string): string {
  return text.replaceAll(/[\u0100-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const narrow: Plugin = {
  name: 'narrow',
  // The last hook, because whoever prints the code before writes the characters themselves.
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escapeWide(file.code)
  },
}

/**
 * CommonJS, because the loader of ES modules alone costs a process 10 MB. What is imported late (the libraries for YAML and for
 * facts) is a file of its own beside the agent: a process holds the text of each file that it has loaded for as long as it runs.
 */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [narrow],
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
