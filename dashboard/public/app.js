// The first page: set-up, sign-in, and the hosts with their newest sample. The whole dashboard comes in its own step; this page
// needs no build. Text from the API is only ever set as text.

// Kept for the tab alone: it is gone with it, and no other site can read it. A cookie would need protection against forgery.
const TOKEN = 'vedette-token'
const REFRESH_MS = 10_000
const view = document.getElementById('view')
const signOut = document.getElementById('sign-out')
let timer

class RequestError extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
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
  if (!answer.ok) throw new RequestError(answer.status, content?.error?.message ?? `The answer was ${answer.status}.`)
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

/** A form that signs in by its answer; what is wrong is said beside the button. */
function sessionForm(id, path, toBody) {
  const form = fromTemplate(id)
  const error = form.querySelector('.error')
  const button = form.querySelector('button')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!form.reportValidity()) return
    error.hidden = true
    button.disabled = true
    try {
      const { token } = await request('POST', path, toBody(new FormData(form)))
      sessionStorage.setItem(TOKEN, token)
      history.replaceState(null, '', '/')
      await showServers()
    } catch (thrown) {
      error.textContent = thrown.message
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
  const code = new URLSearchParams(location.search).get('code')
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
const rate = (value) => known(value, (number) => `${bytes(number)}/s`)

function rows({ cpu = {}, memory = {}, disk = {}, network = {}, tcp = {} }) {
  return [
    ['CPU', `${percent(cpu.percent)} of ${known(cpu.cores, String)} cores`],
    ['Load', `${known(cpu.load_1, String)} · ${known(cpu.load_5, String)} · ${known(cpu.load_15, String)}`],
    ['Memory', `${known(memory.used_bytes, bytes)} of ${known(memory.total_bytes, bytes)} (${percent(memory.percent)})`],
    ['Fullest disk', percent(disk.usage_percent)],
    ['Disk read · write', `${rate(disk.read_throughput_bps)} · ${rate(disk.write_throughput_bps)}`],
    ['Network in · out', `${rate(network.rx_bytes_per_sec)} · ${rate(network.tx_bytes_per_sec)}`],
    ['TCP established', known(tcp.established ?? network.active_connections, String)],
  ]
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
  set('seen', `last seen ${new Date(server.last_seen_at).toLocaleString()}`)
  const list = card.querySelector('dl')
  for (const [name, value] of server.metrics ? rows(server.metrics) : []) {
    const term = document.createElement('dt')
    const detail = document.createElement('dd')
    term.textContent = name
    detail.textContent = value
    list.append(term, detail)
  }
  return card
}

async function showServers() {
  try {
    const { servers } = await request('GET', '/v1/servers?limit=100&include=metrics')
    const waiting = document.createElement('p')
    waiting.className = 'muted'
    waiting.textContent = 'No host has joined yet. This one does within a few seconds.'
    show(...(servers.length > 0 ? servers.map(serverCard) : [waiting]))
    timer = setTimeout(showServers, servers.length > 0 ? REFRESH_MS : 2_000)
  } catch (thrown) {
    if (thrown.status === 401) return leave()
    const error = document.createElement('p')
    error.className = 'error'
    error.textContent = thrown.message
    show(error)
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
  const error = document.createElement('p')
  error.className = 'error'
  error.textContent = thrown.message
  show(error)
}
