import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, freePort, isMissing } from '../../../scripts/test-tools.ts'
import { startTestBackend, type TestBackend } from '../harness.ts'
import { pagesOf } from '../status-pages.ts'
import { type Authority, makeAuthority } from './certificates.ts'
import { makeWorkbench, REPOSITORY, until } from './workbench.ts'

const [HOST, DOMAIN] = ['vedette.example.com', 'status.example.com']
/** Of public pages of two organizations. */
const OTHERS = ['status.example.net', 'status.example.org'] as const
const DOMAINS = [DOMAIN, ...OTHERS]

/** Recipes as an operator fills them in. */
function recipe(name: string, replacements: Record<string, string>): string {
  let filled = readFileSync(join(REPOSITORY, 'docs/recipes', name), 'utf8')
  for (const [placeholder, value] of Object.entries(replacements)) {
    if (!filled.includes(placeholder)) throw new Error(`${name} does not say ${placeholder}`)
    filled = filled.replaceAll(placeholder, value)
  }
  return filled
}

interface Proxy {
  folder: string
  port: number
  plainPort: number
  backendPort: number
  authority: Authority
}

function nginx({ folder, port, plainPort, backendPort, authority: { certFile, keyFile } }: Proxy): string[] {
  const listen = { 'listen 80;': `listen ${plainPort};`, 'listen 443 ssl;': `listen ${port} ssl;` }
  const own = { 'server 127.0.0.1:8080;': `server 127.0.0.1:${backendPort};` }
  const files = (at: string) => ({ [`/etc/ssl/${at}/fullchain.pem`]: certFile, [`/etc/ssl/${at}/privkey.pem`]: keyFile })
  writeFileSync(join(folder, 'main.conf'), recipe('nginx.conf', { ...listen, ...own, ...files('vedette') }))
  const names = { [`server_name ${DOMAIN};`]: `server_name ${DOMAINS.join(' ')};` }
  const cache = { '/var/cache/nginx/status': join(folder, 'cache') }
  writeFileSync(
    join(folder, 'page.conf'),
    recipe('nginx-status-page.conf', { ...listen, ...files('status'), ...names, ...cache }),
  )
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  const around = `daemon off; pid ${folder}/nginx.pid; worker_processes 1; events { worker_connections 64; }
    http { access_log off; ${paths} include ${folder}/main.conf; include ${folder}/page.conf; }\n`
  writeFileSync(join(folder, 'nginx.conf'), around)
  return [findTool('nginx') ?? '', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
}

function caddy({ folder, port, backendPort, authority: { certFile, keyFile } }: Proxy): string[] {
  const site = recipe('Caddyfile', {
    [`${HOST}, ${DOMAIN} {`]: `${[HOST, ...DOMAINS].map((host) => `https://${host}:${port}`).join(', ')} {\n\ttls ${certFile} ${keyFile}`,
    'reverse_proxy 127.0.0.1:8080': `reverse_proxy 127.0.0.1:${backendPort}`,
  })
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}/caddy\n}\n${site}`)
  return [findTool('caddy') ?? '', 'run', '--adapter', 'caddyfile', '--config', file]
}

/** With certificates of Caddy's own authority, and a storage of its own. */
function caddyOnDemand({ folder, port, backendPort }: Pick<Proxy, 'folder' | 'port' | 'backendPort'>): string[] {
  const site = recipe('Caddyfile.on-demand', {
    '\ton_demand_tls {': `\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${folder}/caddy\n\ton_demand_tls {`,
    'vedette.example.com {': `https://${HOST}:${port} {\n\ttls internal`,
    'https:// {': `https://:${port} {`,
    '\ttls {\n': '\ttls internal {\n',
    '127.0.0.1:8080': `127.0.0.1:${backendPort}`,
  })
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, site)
  return [findTool('caddy') ?? '', 'run', '--adapter', 'caddyfile', '--config', file]
}

describe.skipIf(isMissing('caddy'))('certificates on demand of Caddy', () => {
  const bench = makeWorkbench()
  const folder = bench.makeFolder()
  let backend: TestBackend
  let port: number
  beforeAll(async () => {
    port = await freePort()
    backend = await startTestBackend({ environment: { VEDETTE_TRUST_PROXY: '1', VEDETTE_PUBLIC_URL: `https://${HOST}` } })
    const organization = await backend.organization()
    const as = await backend.member(organization, 'member')
    const pages = pagesOf(backend, organization, as)
    const page = await pages.page({ domain: DOMAIN, title: 'Own domain' })
    await pages.page({ domain: 'unproven.example.com' })
    const { body } = await backend.call('GET', `/v1/status-pages/${page.id}`, { as })
    backend.txtRecords.set(body.domain_record.name, [body.domain_record.value])
    await backend.call('POST', `/v1/status-pages/${page.id}/verify-domain`, { as })
    backend.clock.advance(60_000)
    await pages.settle()
    bench.run(caddyOnDemand({ folder, port, backendPort: await backend.listen() }), { HOME: folder })
    await until(async () => (await visit(HOST).catch(() => undefined)) !== undefined, 30_000)
  })
  afterAll(async () => {
    await bench.cleanUp()
    await backend.close()
  })

  const visit = (host: string) =>
    new Promise<string>((resolve, reject) => {
      // Its authority was made a moment ago, and nobody trusts it.
      const options = {
        host: '127.0.0.1',
        port,
        path: '/',
        servername: host,
        headers: { host },
        rejectUnauthorized: false,
        agent: false,
      }
      request(options, (response) => void text(response).then(resolve, reject))
        .on('error', reject)
        .end()
    })

  test('are had for proven domains, and for no other name', async () => {
    expect(await visit(DOMAIN)).toContain('Own domain')
    for (const host of ['unproven.example.com', 'unknown.example.com']) await expect(visit(host)).rejects.toThrow(/alert|TLS|SSL/)
  })
})

describe.each([
  ['nginx', nginx],
  ['caddy', caddy],
] as const)('the own domain of a status page behind %s', (name, commandOf) => {
  describe.skipIf(isMissing(name, 'openssl'))('of docs/recipes', () => {
    const bench = makeWorkbench()
    const folder = bench.makeFolder()
    let backend: TestBackend
    let caFile: string
    let port: number
    let slug: string
    beforeAll(async () => {
      const authority = makeAuthority(folder, [HOST, ...DOMAINS].map((host) => `DNS:${host}`).join(', '))
      caFile = authority.caFile
      port = await freePort()
      backend = await startTestBackend({ environment: { VEDETTE_TRUST_PROXY: '1', VEDETTE_PUBLIC_URL: `https://${HOST}` } })
      const own = { domain: DOMAIN, title: 'Own domain', visibility: 'password', password: 'open sesame' }
      slug = await publish(own)
      for (const domain of OTHERS) await publish({ domain, title: `Page of ${domain}` })
      const command = commandOf({ folder, port, plainPort: await freePort(), backendPort: await backend.listen(), authority })
      bench.run(command, { HOME: folder })
      await until(async () => (await call(HOST, '/livez').catch(() => undefined)) !== undefined, 30_000)
    })
    afterAll(async () => {
      await bench.cleanUp()
      await backend.close()
    })

    /** Publishes a page of a new organization at its proven domain, and returns its slug. */
    async function publish(own: { domain: string; [name: string]: string }): Promise<string> {
      const organization = await backend.organization()
      const as = await backend.member(organization, 'member')
      const pages = pagesOf(backend, organization, as)
      const page = await pages.page(own)
      const { body } = await backend.call('GET', `/v1/status-pages/${page.id}`, { as })
      backend.txtRecords.set(body.domain_record.name, [body.domain_record.value])
      const verified = await backend.call('POST', `/v1/status-pages/${page.id}/verify-domain`, { as })
      if (verified.status !== 200) throw new Error(JSON.stringify(verified.body))
      backend.clock.advance(60_000)
      await pages.settle()
      return page.slug
    }

    const call = (host: string, path: string, headers: Record<string, string> = {}, form?: string) =>
      new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
        const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
        const target = { host: '127.0.0.1', port, path, method: form === undefined ? 'GET' : 'POST', servername: host }
        const options = { ...target, ca: readFileSync(caFile), agent: false, headers: { host, ...type, ...headers } }
        request(options, (response) => {
          const { statusCode: status, headers: answered } = response
          text(response).then((body) => resolve({ status, headers: answered, body }), reject)
        })
          .on('error', reject)
          .end(form)
      })

    test('shows the page and nothing else of the installation', async () => {
      const locked = await call(DOMAIN, '/')
      expect([locked.status, locked.body]).toEqual([401, expect.stringContaining('Own domain')])
      for (const path of ['/v1/setup', '/livez', `/status/${slug}`, '/ping/x']) {
        const { status, body } = await call(DOMAIN, path)
        expect([path, status, body]).toEqual([path, 401, locked.body])
      }
    })

    test('keeps the access of a password in a cookie for HTTPS and this domain', async () => {
      const opened = await call(DOMAIN, '/unlock', {}, 'password=open%20sesame')
      const cookie = String(opened.headers['set-cookie'])
      expect([opened.status, opened.headers['location']]).toEqual([303, '/'])
      expect(cookie).toMatch(/; Path=\/; .*; Secure$/)
      const sent = { cookie: cookie.split(';')[0] as string }
      expect((await call(DOMAIN, '/api/v2/status.json', sent)).body).toContain(`https://${DOMAIN}`)
      expect((await call(DOMAIN, '/v1/setup', sent)).status).toBe(404)
    })

    test('keeps the pages of two organizations apart, also where the proxy caches them', async () => {
      const month = new Date(backend.clock.now()).toISOString().slice(0, 7)
      const cached: unknown[] = []
      for (const path of ['/', '/embed', `/history/${month}`, '/feed.atom', '/api/v2/summary.json', '/?key=x'])
        for (const round of [1, 2])
          for (const [index, host] of OTHERS.entries()) {
            const { status, headers, body } = await call(host, path)
            expect([path, host, status, body]).toEqual([path, host, 200, expect.stringContaining(`Page of ${host}`)])
            expect(body).not.toContain(OTHERS[1 - index])
            if (round === 2) cached.push(headers['x-cache-status'])
          }
      expect(new Set(cached)).toEqual(new Set([name === 'nginx' ? 'HIT' : undefined]))
      for (const round of [1, 2])
        expect([round, (await call(DOMAIN, '/')).headers['x-cache-status']]).toEqual([
          round,
          name === 'nginx' ? 'MISS' : undefined,
        ])
    })

    test('leaves the other host as it is, whatever a client claims to have been forwarded', async () => {
      expect((await call(HOST, '/v1/setup')).status).toBe(200)
      const forged = await call(HOST, '/v1/setup', { 'x-forwarded-host': DOMAIN, forwarded: `host=${DOMAIN}` })
      expect(forged.status).toBe(200)
      expect((await call(HOST, `/status/${slug}`)).status).toBe(401)
    })
  })
})
