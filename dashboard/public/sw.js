// Shows notifications of incidents, and answers a page load with a page of its own while Vedette cannot be reached. It caches nothing.
const TEXTS = {
  en: ['Vedette cannot be reached', 'Check your connection.', 'Try again', 'Acknowledge'],
  de: ['Vedette ist nicht erreichbar', 'Verbindung prüfen.', 'Erneut versuchen', 'Quittieren'],
}
const language = self.navigator.language.startsWith('de') ? 'de' : 'en'
const [title, lead, retry, acknowledge] = TEXTS[language]

const OFFLINE_PAGE = `<!doctype html>
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
      <p><a href="">${retry}</a></p>
    </main>
  </body>
</html>`

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return
  const answer = () => new Response(OFFLINE_PAGE, { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
  event.respondWith(fetch(event.request).catch(answer))
})

self.addEventListener('push', (event) => {
  const message = event.data.json()
  const { body, tag, quiet } = message
  event.waitUntil(
    self.registration.showNotification(message.title, {
      body,
      tag,
      icon: '/icon-192.png',
      silent: quiet,
      renotify: !quiet,
      requireInteraction: message.tone === 'critical' && !quiet,
      actions: message.acknowledge ? [{ action: 'acknowledge', title: acknowledge }] : [],
      data: message,
    }),
  )
})

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  const { path, acknowledge: incident } = notification.data
  // Where this device is not signed in, or the user may not, the page of the incident says so.
  event.waitUntil(action === 'acknowledge' ? acknowledgeIncident(incident).catch(() => openPage(path)) : openPage(path))
})

/** A notification of the acknowledgement follows. */
async function acknowledgeIncident({ organization, incident }) {
  const refresh = await send('/v1/auth/refresh', { 'X-Requested-With': 'vedette' })
  const { token } = await refresh.json()
  await send(`/v1/incidents/${incident}/acknowledge`, { Authorization: `Bearer ${token}`, 'X-Organization-Id': organization })
}

async function send(path, headers) {
  const response = await fetch(path, { method: 'POST', headers })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response
}

/** In the window that is open, else in a new one. */
async function openPage(path) {
  const [open] = await self.clients.matchAll({ type: 'window' })
  if (!open) return self.clients.openWindow(path)
  await open.focus()
  return open.navigate(path)
}
