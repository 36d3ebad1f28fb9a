// The first page: set-up, sign-in, and the hosts with their newest sample. The whole dashboard comes in its own step; this page
// needs no build. Text from the API is only ever set as text.

// Kept for the tab alone: it is gone with it, and no other site can read it. A cookie would need protection against forgery.
const TOKEN = 'vedette-token'
const REFRESH_MS = 10_000
/** While nothing is to be seen yet: far below the limit of reads, also with several tabs. */
const IMPATIENT_MS = 3_000
const view = document.getElementById('view')
const signOut = document.getElementById('sign-out')
let timer

class RequestError extends Error {
  constructor(status, message, details) {
    super(message)
    this.status = status
    /** Of a refused form: which field, and why. */
    this.details = details ?? []
  }
}

async function request(method, path, body) {
  const token = sessionStorage.getItem(TOKEN)
  const headers = {
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...(body ? { 'Content-Type': 'application/json' } : {}),
  }
  const answer = await fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }).catch(() => undefined)
  if (!answer) throw new RequestError(0, 'Vedette does not answer. Is it running?')
  const content = await answer.json().catch(() => undefined)
  if (!answer.ok)
    throw new RequestError(answer.status, content?.error?.message ?? `The answer was ${answer.status}.`, content?.error?.details)
  return content
}

function show(...nodes) {
  clearTimeout(timer)
  signOut.hidden = sessionStorage.getItem(TOKEN) === null
  view.replaceChildren(...nodes)
}

function fromTemplate(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true)
}

/** What is wrong with the first field that is not right, which gets the focus; undefined when all are. */
function faultOf(form) {
  const fields = [...form.elements].filter((element) => element.willValidate)
  for (const field of fields) field.removeAttribute('aria-invalid')
  const wrong = fields.find((field) => !field.validity.valid || field.value.length < field.minLength)
  if (!wrong) return undefined
  wrong.setAttribute('aria-invalid', 'true')
  wrong.focus()
  const { dataset, validity, minLength, validationMessage } = wrong
  if (validity.valueMissing) return `${dataset.name} is missing.`
  return `${dataset.name}: ${wrong.value.length < minLength ? `at least ${minLength} characters, please.` : validationMessage}`
}

/** What the backend says of the form; the field it names is marked. */
function refusalOf(form, { message, details: [detail] }) {
  const field = detail?.path ? form.elements.namedItem(detail.path) : null
  if (!field) return message
  field.setAttribute('aria-invalid', 'true')
  field.focus()
  return `${field.dataset.name} ${detail.message}.`
}

/** A form that signs in by its answer; what is wrong is said beside the button. */
function sessionForm(id, path, toBody) {
  const form = fromTemplate(id)
  const error = form.querySelector('.error')
  const button = form.querySelector('button')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const fault = faultOf(form)
    error.textContent = fault ?? ''
    error.hidden = fault === undefined
    if (fault !== undefined) return
    button.disabled = true
    try {
      const { token } = await request('POST', path, toBody(new FormData(form)))
      sessionStorage.setItem(TOKEN, token)
      history.replaceState(null, '', '/')
      await showServers()
    } catch (thrown) {
      error.textContent = refusalOf(form, thrown)
      error.hidden = false
    } finally {
      button.disabled = false
    }
  })
  show(form)
  return form
}

function showSetup() {
  const form = sessionForm('setup', '/v1/setup', (data) => ({
    code: data.get('code'),
    email: data.get('email'),
    password: data.get('password'),
    organization: data.get('organization'),
    allow_private_targets: data.get('allow_private_targets') === 'on',
  }))
  // A secret: it leaves the address bar at once, and stays with this entry of the history for a reload.
  const code = new URLSearchParams(location.search).get('code') ?? history.state?.code
  if (code) history.replaceState({ code }, '', '/')
  if (code) form.elements.code.value = code
  form.elements[code ? 'email' : 'code'].focus()
}

function showLogin() {
  const form = sessionForm('login', '/v1/auth/login', (data) => Object.fromEntries(data))
  form.elements.email.focus()
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

function bytes(value) {
  let unit = 0
  let rest = value
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000
    unit += 1
  }
  return `${rest.toFixed(unit === 0 || rest >= 100 ? 0 : 1)} ${UNITS[unit]}`
}

const known = (value, format) => (value === null || value === undefined ? '–' : format(value))
const percent = (value) => known(value, (number) => `${number.toFixed(1)} %`)
const load = (value) => known(value, (number) => number.toFixed(2))
const rate = (value) => known(value, (number) => `${bytes(number)}/s`)
const count = (value) => known(value, (number) => number.toLocaleString())

/** Name, text and, where there is a whole, how much of it is used in percent. */
function rows({ cpu = {}, memory = {}, disk = {}, network = {}, tcp = {} }) {
  const { used_bytes: used, total_bytes: total } = memory
  return [
    [
      'CPU',
      `${percent(cpu.percent)} of ${known(cpu.cores, (cores) => (cores === 1 ? '1 core' : `${cores} cores`))}`,
      cpu.percent,
    ],
    ['Memory', `${percent(memory.percent)} · ${known(used, bytes)} of ${known(total, bytes)}`, memory.percent],
    ['Fullest disk', percent(disk.usage_percent), disk.usage_percent],
    ['Load', `${load(cpu.load_1)} · ${load(cpu.load_5)} · ${load(cpu.load_15)}`],
    ['Disk read · write', `${rate(disk.read_throughput_bps)} · ${rate(disk.write_throughput_bps)}`],
    ['Network in · out', `${rate(network.rx_bytes_per_sec)} · ${rate(network.tx_bytes_per_sec)}`],
    ['TCP established', count(tcp.established ?? network.active_connections)],
  ]
}

/** From here on a bar is coloured as a warning, and as full. */
const HIGH_PERCENT = 75
const FULL_PERCENT = 90

function row([name, text, share]) {
  const row = fromTemplate('meter')
  row.querySelector('dt').textContent = name
  row.querySelector('dd').textContent = text
  const bar = row.querySelector('.bar')
  if (typeof share !== 'number') {
    row.classList.remove('meter')
    bar.remove()
    return row
  }
  // Through the object model: the content security policy takes no style from markup.
  bar.style.setProperty('--share', `${share}%`)
  if (share >= FULL_PERCENT) row.classList.add('full')
  else if (share >= HIGH_PERCENT) row.classList.add('high')
  return row
}

function ago(timestamp) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(timestamp)) / 1000))
  if (seconds < 90) return `${seconds} s ago`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min ago` : new Date(timestamp).toLocaleString()
}

function serverCard(server) {
  const card = fromTemplate('server')
  const set = (name, text) => {
    card.querySelector(`[data-field=${name}]`).textContent = text
  }
  card.classList.toggle('online', server.status === 'online')
  set('hostname', server.display_name ?? server.hostname)
  set('status', server.status)
  set('facts', `${server.os} · ${server.kernel} · agent ${server.agent_version}`)
  set('seen', server.metrics ? `Last seen ${ago(server.last_seen_at)}` : `Registered ${ago(server.registered_at)}; no sample yet`)
  card.querySelector('dl').append(...(server.metrics ? rows(server.metrics) : []).map(row))
  return card
}

/** The summary and a card each; the agent of this host needs a few seconds to be the first. */
function serverList(servers, total) {
  const list = fromTemplate('servers')
  const online = servers.filter(({ status }) => status === 'online').length
  const shown = servers.length < total ? ` of the ${servers.length} newest, ${total} in all` : ` of ${total}`
  if (total > 0) list.querySelector('[role=status]').textContent = `${online}${shown} online`
  list
    .querySelector('.grid')
    .append(
      ...(total > 0
        ? servers.map(serverCard)
        : [line('waiting', 'No host has joined yet. This one does within a few seconds …')]),
    )
  return list
}

function line(className, text) {
  const paragraph = document.createElement('p')
  paragraph.className = className
  paragraph.textContent = text
  return paragraph
}

async function showServers() {
  try {
    const { servers, total } = await request('GET', '/v1/servers?limit=100&include=metrics')
    show(serverList(servers, total))
    timer = setTimeout(showServers, servers.some(({ metrics }) => metrics) ? REFRESH_MS : IMPATIENT_MS)
  } catch (thrown) {
    if (thrown.status === 401) return leave()
    show(line('error', thrown.message))
    timer = setTimeout(showServers, REFRESH_MS)
  }
}

function leave() {
  sessionStorage.removeItem(TOKEN)
  showLogin()
}

signOut.addEventListener('click', leave)

try {
  const { required } = await request('GET', '/v1/setup')
  if (required) showSetup()
  else if (sessionStorage.getItem(TOKEN)) await showServers()
  else showLogin()
} catch (thrown) {
  show(line('error', thrown.message))
}
