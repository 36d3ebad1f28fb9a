/**
 * The script of a page, which works without it. It reads the page again every half a minute while it is visible, and replaces what has
 * changed; what a visitor has opened stays open. It shows what happened on the day of a bar that is pressed or pointed at, or chosen
 * by the keys of a slider, and searches for components.
 */
export const LIVE_SCRIPT = `
(()=>{
const D=document,all=(s,n=D)=>[...n.querySelectorAll(s)],main=()=>D.querySelector('main');
let first=main().innerHTML,etag=null;
const opened={},tip=D.createElement('div');
tip.className='tip';tip.hidden=true;D.body.append(tip);
const day=(svg,at)=>{
const li=svg.closest('li'),known=li.querySelector('[data-d="'+at+'"]');
if(known)return [...known.cloneNode(true).childNodes];
const from=Number(svg.dataset.f),m=main().firstElementChild.dataset,none=(svg.dataset.n||'').split(',').some(r=>{const [a,b]=r.split('-').map(Number);return at>=a&&at<=b});
return [new Intl.DateTimeFormat(D.documentElement.lang==='en'?'en-GB':D.documentElement.lang,{timeZone:'UTC',day:'numeric',month:'short'}).format((from+at)*864e5)+': '+(none?m.none:m.quiet)]};
const at=(svg,e)=>{const b=svg.getBoundingClientRect();return Math.max(0,Math.min(89,Math.floor((e.clientX-b.left)/b.width*90)))};
const show=(svg,index)=>{
const li=svg.closest('li'),d=li.querySelector('details');
if(!d)return;
let box=li.querySelector('.day');
if(!box){box=D.createElement('div');box.className='day';
const r=D.createElement('input');r.type='range';r.id=d.id+'r';r.min=0;r.max=89;r.setAttribute('aria-label',main().firstElementChild.dataset.day);
const o=D.createElement('p');o.setAttribute('role','status');
r.oninput=()=>show(svg,Number(r.value));box.append(r,o);d.querySelector('summary').after(box)}
box.firstChild.value=index;
box.lastChild.replaceChildren(...day(svg,index));
box.firstChild.setAttribute('aria-valuetext',box.lastChild.textContent)};
D.addEventListener('toggle',e=>{const d=e.target;if(!d.open||d.matches('.grp,.menu'))return;const svg=d.closest('li')?.querySelector('.bars');if(svg&&!d.querySelector('.day'))show(svg,89)},true);
D.addEventListener('click',e=>{
const svg=e.target.closest('.bars'),s=e.target.closest('summary');
if(svg){const d=svg.closest('li').querySelector('details');if(d){e.preventDefault();d.open=true;opened[d.id]=true;show(svg,at(svg,e))}}
else if(s)opened[s.parentNode.id]=!s.parentNode.open;
all('details.menu[open]').forEach(m=>{if(!m.contains(e.target))m.open=false})});
D.addEventListener('keydown',e=>{if(e.key!=='Escape')return;tip.hidden=true;all('details.menu[open]').forEach(m=>{m.open=false;m.firstChild.focus()})});
D.addEventListener('pointermove',e=>{
const svg=e.pointerType==='mouse'&&e.target.closest('.bars');
tip.hidden=!svg;if(!svg)return;
all('title',svg).forEach(t=>t.remove());
tip.replaceChildren(...day(svg,at(svg,e)));
tip.style.left=Math.max(8,Math.min(e.clientX-tip.offsetWidth/2,innerWidth-tip.offsetWidth-8))+'px';
tip.style.top=svg.getBoundingClientRect().bottom+8+'px'});
D.addEventListener('scroll',()=>{tip.hidden=true},true);
const find=()=>{
const q=D.getElementById('q');if(!q)return;
q.parentNode.hidden=false;
const v=q.value.trim().toLowerCase(),items=all('.k>li');let n=0;
for(const li of items){li.hidden=v!==''&&!li.querySelector('h3').textContent.toLowerCase().includes(v);if(!li.hidden)n++}
for(const g of all('details.grp').reverse()){g.dataset.o??=g.open?'1':'';
g.hidden=v!==''&&!all('.k>li',g).some(li=>!li.hidden);
g.open=v!==''||(g.id in opened?opened[g.id]:g.dataset.o==='1')}
q.parentNode.lastElementChild.textContent=v?n+' / '+items.length:''};
D.addEventListener('input',e=>{if(e.target.id==='q')find()});
find();
const renew=async()=>{
if(D.hidden)return;
try{
const r=await fetch(location.href,{headers:etag?{'If-None-Match':etag}:{}});
if(r.status!==200)return;
etag=r.headers.get('ETag');
const d=new DOMParser().parseFromString(await r.text(),'text/html'),m=d.querySelector('main'),o=main();
if(m&&o&&m.innerHTML!==first){
first=m.innerHTML;
const focus=D.activeElement?.id,days={},q=D.getElementById('q');
for(const b of all('.day',o))days[b.closest('details').id]=Number(b.firstChild.value);
if(q&&m.querySelector('search'))m.querySelector('search').replaceWith(q.parentNode);
o.replaceWith(m);
for(const id in opened){const e=D.getElementById(id);if(e&&m.contains(e))e.open=opened[id]}
for(const id in days){const svg=D.getElementById(id)?.closest('li').querySelector('.bars');if(svg)show(svg,days[id])}
find();
if(focus)D.getElementById(focus)?.focus()}
D.title=d.title;
const i='link[rel=icon]';D.querySelector(i).href=d.querySelector(i).href}catch{}};
setInterval(renew,30000);D.addEventListener('visibilitychange',renew)})()
`.replaceAll('\n', '')
