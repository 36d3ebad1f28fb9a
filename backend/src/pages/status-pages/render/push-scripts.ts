/**
 * The script of the page on which people subscribe. It shows the form for this browser where the browser can show notifications, asks
 * its user, and fills the form with the subscription that the browser makes.
 */
export const SUBSCRIBE_SCRIPT = `
(()=>{
const f=document.getElementById('b'),n=navigator.serviceWorker;
if(!f||!isSecureContext||!n||!('PushManager'in window)||Notification.permission==='denied')return;
f.hidden=false;
f.onsubmit=async e=>{
e.preventDefault();
const b=f.querySelector('button'),fault=f.querySelector('[role]');
b.disabled=true;fault.hidden=true;
try{
if(await Notification.requestPermission()!=='granted')throw 0;
const r=await n.register(f.dataset.worker),w=r.installing??r.waiting;
if(!r.active)await new Promise(done=>{w.onstatechange=()=>w.state==='activated'&&done()});
const m=r.pushManager,subscribe=()=>m.subscribe({userVisibleOnly:true,applicationServerKey:f.dataset.key});
const s=await subscribe().catch(async()=>{await(await m.getSubscription())?.unsubscribe();return subscribe()});
const {endpoint,keys}=s.toJSON();
f.endpoint.value=endpoint;f.p256dh.value=keys.p256dh;f.auth.value=keys.auth;
f.submit()
}catch{fault.hidden=false;b.disabled=false}}})()
`.replaceAll('\n', '')

/** The service worker of a page. It shows what the browser gets, and opens the page of a notification. */
export const PUSH_WORKER = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('push', (event) => {
  const { title, body, tag, path } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body, tag, renotify: true, data: path }))
})
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(self.clients.openWindow(event.notification.data))
})
`
