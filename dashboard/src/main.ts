import { language } from './messages/language.ts'
import { startPage } from './start.ts'

document.documentElement.lang = language

// A mailed link that opens in a tab with the same page changes the fragment alone.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload()
})
await startPage(document.getElementById('root') as HTMLElement)

// Over plain HTTP there is none, and a browser may refuse it: then a load without a connection shows the browser's own page.
if ('serviceWorker' in navigator) navigator.serviceWorker.register('/sw.js').catch(() => undefined)
