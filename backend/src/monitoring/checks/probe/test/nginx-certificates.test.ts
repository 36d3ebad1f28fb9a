import { writeFileSync } from 'node:fs'
import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../../scripts/test-tools.ts'
import { soonestEnd, weaknessOf } from '../../../certificates/index.ts'
import { createProber, type Prober } from '../index.ts'
import { createOpensslCa, type IssueOptions } from './openssl-ca.ts'
import { makeServerFolder, type Server, startServer } from './servers.ts'
import { define } from './targets.ts'

const NAMES = ['localhost']
const RSA_1024 = ['-newkey', 'rsa:1024']
const RSA_2048 = ['-newkey', 'rsa:2048']

/** As badssl.com has them: of each the leaf, and what the server sends after it. */
const SITES: Readonly<Record<string, { leaf: IssueOptions; chain: readonly string[]; isRevoked?: true }>> = {
  good: { leaf: { issuer: 'middle', names: NAMES }, chain: ['middle'] },
  expired: { leaf: { issuer: 'middle', names: NAMES, fromDays: -90, untilDays: -2 }, chain: ['middle'] },
  'not-yet-valid': { leaf: { issuer: 'middle', names: NAMES, fromDays: 1 }, chain: ['middle'] },
  'self-signed': { leaf: { names: NAMES }, chain: [] },
  'untrusted-root': { leaf: { issuer: 'unknown-ca', names: NAMES }, chain: ['unknown-ca'] },
  'wrong-host': { leaf: { issuer: 'middle', names: ['other.example'] }, chain: ['middle'] },
  'no-subject-alternative-name': { leaf: { issuer: 'middle' }, chain: ['middle'] },
  'incomplete-chain': { leaf: { issuer: 'middle', names: NAMES }, chain: [] },
  'expired-intermediate': { leaf: { issuer: 'old-middle', names: NAMES }, chain: ['old-middle'] },
  'sha1-signature': { leaf: { issuer: 'middle', names: NAMES, key: RSA_2048, digest: 'sha1' }, chain: ['middle'] },
  'rsa-1024': { leaf: { issuer: 'middle', names: NAMES, key: RSA_1024 }, chain: ['middle'] },
  'weak-intermediate': { leaf: { issuer: 'middle', names: NAMES }, chain: ['middle', 'weak-middle'] },
  revoked: { leaf: { issuer: 'middle', names: NAMES }, chain: ['middle'], isRevoked: true },
}

let [nginx, prober]: [Server | undefined, Prober | undefined] = [undefined, undefined]
const ports = new Map<string, number>()

/** One nginx with a server for each certificate. */
async function startNginx(): Promise<Server> {
  const folder = makeServerFolder()
  const ca = createOpensslCa(folder)
  ca.issue('root', { isAuthority: true })
  ca.issue('unknown-ca', { isAuthority: true })
  ca.issue('middle', { isAuthority: true, issuer: 'root' })
  ca.issue('old-middle', { isAuthority: true, issuer: 'root', fromDays: -400, untilDays: 60 })
  ca.issue('weak-middle', { isAuthority: true, issuer: 'root', key: RSA_1024 })
  const blocks: string[] = []
  for (const [name, { leaf, chain, isRevoked }] of Object.entries(SITES)) {
    ca.issue(name, leaf)
    // It signs while it is valid.
    if (name === 'expired-intermediate')
      ca.issue('old-middle', {
        isAuthority: true,
        issuer: 'root',
        fromDays: -400,
        untilDays: -1,
        key: ['-key', 'old-middle.key', '-new'],
      })
    if (isRevoked) ca.revoke(name, leaf.issuer ?? name)
    const isStapled = name === 'good' || isRevoked
    if (isStapled) ca.respond(name, leaf.issuer ?? name)
    writeFileSync(`${folder}/${name}.chain`, Buffer.concat([name, ...chain].map((one) => ca.read(`${one}.pem`))))
    const port = await freePort()
    ports.set(name, port)
    const stapling = isStapled ? `ssl_stapling on; ssl_stapling_file ${name}.ocsp;` : ''
    blocks.push(
      `server { listen 127.0.0.1:${port} ssl; ssl_certificate ${name}.chain; ssl_certificate_key ${name}.key; ${stapling} }`,
    )
  }
  const config = `daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
http { access_log off; ssl_ciphers DEFAULT:@SECLEVEL=0; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
${blocks.join('\n')}
server { listen 127.0.0.1:${ports.get('good')} ssl; server_name other; ssl_certificate good.chain; ssl_certificate_key good.key; } }`
  writeFileSync(`${folder}/nginx.conf`, config)
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [ca.read('root.pem').toString()] })
  const command = [findTool('nginx') ?? 'nginx', '-p', folder, '-c', 'nginx.conf']
  return startServer(command, { folder, port: ports.get('revoked') ?? 0 })
}

describe.skipIf(isMissing('nginx', 'openssl'))('of a real nginx, a certificate', () => {
  beforeAll(async () => {
    nginx = await startNginx()
  }, 60_000)
  afterAll(async () => {
    prober?.close()
    await nginx?.stop()
  })

  const see = async (name: string, own: object = {}) => {
    const result = await prober?.check(define(`https://localhost:${ports.get(name)}/`, own))
    const { certificate, error } = result ?? {}
    const chain = certificate?.chain ?? []
    return {
      message: error?.code === 'tls' ? error.message : null,
      weak: weaknessOf(chain),
      mismatch: certificate?.name_mismatch,
      revoked: certificate?.revoked_at !== undefined,
      days: Math.round((soonestEnd(Date.parse(certificate?.expires_at ?? ''), chain) - Date.now()) / DAY_MS),
    }
  }
  const FINE = { message: null, weak: null, mismatch: false, revoked: false, days: 30 }

  it('that is good has no fault', async () => {
    expect(await see('good')).toEqual(FINE)
  })

  it.each([
    ['expired', { message: expect.stringContaining('has expired'), days: -2 }],
    ['not-yet-valid', { message: 'the certificate is not valid yet' }],
    ['self-signed', { message: 'the certificate is self-signed' }],
    ['untrusted-root', { message: expect.stringContaining('not trusted') }],
    ['wrong-host', { message: expect.stringContaining('but for other.example'), mismatch: true }],
    ['no-subject-alternative-name', { message: expect.stringContaining('not for localhost'), mismatch: true }],
    ['incomplete-chain', { message: expect.stringContaining('not known') }],
    ['expired-intermediate', { message: expect.stringContaining('of the chain has expired'), days: -1 }],
    ['sha1-signature', { weak: 'signature with SHA-1' }],
    ['rsa-1024', { weak: 'RSA key of 1024 bits' }],
    ['weak-intermediate', { weak: 'RSA key of 1024 bits of the intermediate weak-middle' }],
    ['revoked', { ...FINE, revoked: true }],
  ])('that is wrong is named: %s', async (name, fault) => {
    expect(await see(name)).toMatchObject(fault)
  })

  it('that is revoked is named also where certificates are not verified', async () => {
    expect(await see('revoked', { verify_tls: false })).toMatchObject({ message: null, revoked: true })
  })
})
