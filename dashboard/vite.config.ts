import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    // The content security policy takes scripts and styles from files of the same origin only, and no data: but for pictures.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
})
