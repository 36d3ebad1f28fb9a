// Answers a page load with a page of its own while Vedette cannot be reached. It caches nothing.
const TEXTS = {
  en: ['Vedette cannot be reached', 'Check your connection.', 'Try again'],
  de: ['Vedette ist nicht erreichbar', 'Verbindung prüfen.', 'Erneut versuchen'],
}

function offlinePage() {
  const language = self.navigator.language.startsWith('de') ? 'de' : 'en'
  const [title, lead, action] = TEXTS[language]
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>${title}</title>
    <style>
      body { display: grid; min-height: 90vh; place-content: center; font: 16px system-ui, sans-serif; text-align: center }
      main { padding: 1rem }
      @media (prefers-color-scheme: dark) { body { background: #0c1116; color: #e4eaf0 } }
      a { color: inherit }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${lead}</p>
      <p><a href="">${action}</a></p>
    </main>
  </body>
</html>`
}

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return
  const answer = () => new Response(offlinePage(), { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
  event.respondWith(fetch(event.request).catch(answer))
})
