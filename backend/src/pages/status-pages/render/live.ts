/**
 * The script of a page: reads the page again every half a minute while it is visible, and replaces what has changed. A page works
 * without it.
 */
export const LIVE_SCRIPT =
  `(()=>{let e=null;const f=async()=>{if(document.hidden)return;try{` +
  `const r=await fetch(location.href,{headers:e?{'If-None-Match':e}:{}});if(r.status!==200)return;e=r.headers.get('ETag');` +
  `const d=new DOMParser().parseFromString(await r.text(),'text/html'),m=d.querySelector('main'),o=document.querySelector('main');` +
  `if(m&&o&&m.innerHTML!==o.innerHTML)o.replaceWith(m);document.title=d.title;` +
  `const i='link[rel=icon]';document.querySelector(i).href=d.querySelector(i).href}catch{}};` +
  `setInterval(f,30000);document.addEventListener('visibilitychange',f)})()`
