import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { parseLdapFilter } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { makeServerFolder, type Server, startServer } from '../../test/servers.ts'
import { startTarget } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'directory', names: ['localhost'], issuer: authority })
const BASE = 'dc=example,dc=com'
const ADMIN = { username: `cn=admin,${BASE}`, password: 'pässword-of-admin' }

const settingsIn = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/pid
TLSCACertificateFile ${folder}/ca.crt
TLSCertificateFile ${folder}/server.crt
TLSCertificateKeyFile ${folder}/server.key
database mdb
suffix "${BASE}"
rootdn "${ADMIN.username}"
rootpw ${ADMIN.password}
directory ${folder}/data
`
const ENTRIES = `
dn: ${BASE}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: uid=ada,${BASE}
objectClass: inetOrgPerson
uid: ada
cn: Ada
sn: Lovelace (Countess)
employeeNumber: 42
userPassword: pass-of-ada

dn: uid=grace,${BASE}
objectClass: inetOrgPerson
uid: grace
cn: Grace
sn: Hopper
`

describe.skipIf(isMissing('slapd', 'slapadd'))('a check of LDAP', () => {
  let server: Server
  let port: number
  let tlsPort: number
  let prober: Prober

  beforeAll(async () => {
    ;[port, tlsPort] = [await freePort(), await freePort()]
    const folder = makeServerFolder({
      'server.key': certificate.key,
      'server.crt': certificate.cert,
      'ca.crt': authority.cert,
      'entries.ldif': ENTRIES,
    })
    mkdirSync(`${folder}/data`)
    const settings = makeServerFolder({ 'slapd.conf': settingsIn(folder) }, undefined, folder)
    execFileSync(findTool('slapadd') ?? '', ['-f', `${settings}/slapd.conf`, '-l', `${folder}/entries.ldif`])
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`
    server = await startServer(['slapd', '-d', '0', '-f', `${settings}/slapd.conf`, '-h', urls], { folder, port })
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
  })
  afterAll(async () => {
    prober.close()
    await server.stop()
  })

  const check = (more: KindCheck = {}, url = `ldap://localhost:${port}/${BASE}`) => checkKind(prober, 'ldap', url, more)

  test.each([
    ['anonymously', {}, {}],
    ['as a user', {}, { credentials: ADMIN }],
    ['after StartTLS', { starttls: true }, { credentials: ADMIN }],
  ])('logs in %s', async (_, options, more) => {
    const result = await check({ options, ...more })
    expect(result).toMatchObject({ outcome: 'up', error: null, facts: {} })
    expect(result.certificate !== null).toBe('starttls' in options)
  })

  test('logs in over TLS from the first byte', async () => {
    expect(await check({ credentials: ADMIN }, `ldaps://localhost:${tlsPort}`)).toMatchObject({
      outcome: 'up',
      certificate: { subject_names: ['localhost'] },
    })
  })

  test.each([
    ['a wrong password', {}, { ...ADMIN, password: 'wrong' }, /^the server refused the login of the configured user \(49\)$/],
    ['a name that is none', {}, { username: 'ada', password: 'x' }, /^the server refused the login \(34 invalid DN\)$/],
    ['a filter with an unknown scope of names', { filter: '(uid=ada)', base: 1 }, ADMIN, /./],
  ])('is down with %s', async (_, options, credentials, message) => {
    const { base, ...own } = options as { base?: number }
    const url = base === undefined ? undefined : `ldap://localhost:${port}/no-dn`
    const result = await check({ options: own, credentials }, url)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol', message: expect.stringMatching(message) } })
  })

  test.each([
    ['(uid=ada)', 'employeeNumber', 'uid=ada', 42],
    ['(uid=ada)', 'sn', 'uid=ada', 'Lovelace (Countess)'],
    ['(sn=Lovelace \\28Countess\\29)', 'uid', 'uid=ada', 'ada'],
    ['(&(objectClass=inetOrgPerson)(!(uid=ada)))', 'cn', 'uid=grace', 'Grace'],
    ['(|(uid=nobody)(cn=G*c*))', 'cn', 'uid=grace', 'Grace'],
    ['(cn=*ace)', 'cn', 'uid=grace', 'Grace'],
    ['(employeeNumber=*)', 'mail', 'uid=ada', undefined],
    ['(cn~=ada)', 'uid', 'uid=ada', 'ada'],
    ['(uid=ada)', '', 'uid=ada', undefined],
  ])('%s finds an entry, and reads %j', async (filter, attribute, entry, value) => {
    const { outcome, facts, error } = await check({ options: { filter, attribute }, credentials: ADMIN })
    expect([outcome, error]).toEqual(['up', null])
    expect(facts).toEqual({ entry: `${entry},${BASE}`, ...(value !== undefined && { attribute: value }) })
  })

  test('finds one of several entries', async () => {
    const found = await check({ options: { filter: '(objectClass=*)' } })
    expect(found).toMatchObject({ outcome: 'up', facts: { entry: BASE } })
    expect((await check({ options: { filter: '(objectClass=*)', scope: 'one' } })).facts['entry']).toBe(`uid=ada,${BASE}`)
  })

  test('the root of the directory can be read without a base', async () => {
    const options = { filter: '(objectClass=*)', scope: 'base', attribute: 'supportedLDAPVersion' }
    expect((await check({ options }, `ldap://localhost:${port}`)).facts['attribute']).toBe(3)
  })

  test('is down without an entry, unless assertions decide', async () => {
    const options = { filter: '(uid=nobody)' }
    expect(await check({ options })).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion', message: 'the search found no entry' },
      answer: { status_line: 'no entry' },
    })
    const below = `ldap://localhost:${port}/ou=absent,${BASE}`
    expect(await check({ options }, below)).toMatchObject({ error: { message: 'the search found no entry' } })
    const assertions: KindCheck['assertions'] = [{ type: 'entry', operator: 'not_exists' }]
    expect(await check({ options, assertions })).toMatchObject({ outcome: 'up' })
  })

  test('is down with another certificate', async () => {
    const result = await check({ options: { starttls: true } }, `ldap://127.0.0.1:${port}`)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    const unverified = { options: { starttls: true, verify_tls: false } }
    expect(await check(unverified, `ldap://127.0.0.1:${port}`)).toMatchObject({ outcome: 'up' })
  })
})

describe('a server that breaks the rules', () => {
  let prober: Prober
  beforeAll(() => {
    prober = createProber({ allowPrivateTargets: 'all' })
  })
  afterAll(() => prober.close())

  test.each([
    ['another protocol', Buffer.from('220 mail.test\r\n'), 'the server does not speak LDAP'],
    ['an answer to another message', Buffer.from('300c02010361070a010004000400', 'hex'), 'the server does not speak LDAP'],
    ['another operation', Buffer.from('300c02010265070a010004000400', 'hex'), 'the server does not speak LDAP'],
    [
      'the notice of its end',
      Buffer.from('301102010078 0c0a0133 0400 04056c61746572'.replaceAll(' ', ''), 'hex'),
      'the server ended the connection (51 later)',
    ],
    ['an indefinite length within', Buffer.from('300c02010261800a010004000400', 'hex'), 'the answer is malformed'],
    ['16 MB', Buffer.from('3084ffffffff', 'hex'), 'the target sent a message that is too large'],
  ])('and sends %s is down', async (_, answer, message) => {
    const target = await startTarget((socket) => void socket.once('data', () => socket.write(answer)))
    const result = await checkKind(prober, 'ldap', `ldap://127.0.0.1:${target.port}`)
    await target.close()
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol', message } })
  })
})

const DEEP = `${'(!'.repeat(11)}(a=b)${')'.repeat(11)}`
test.each([
  '',
  'uid=ada',
  '(uid=ada',
  '(uid=ada))',
  '()',
  '(&)',
  '(&(a=b)',
  '(!(a=b)(c=d))',
  '(a=b\\2)',
  '(a>=b*)',
  '(a=b**c)',
  '(a:=b)',
  '(a=(b))',
  DEEP,
])('%j is no filter', (text) => expect(parseLdapFilter(text)).toHaveProperty('fault'))

test('a filter is read with its bytes', () => {
  expect(parseLdapFilter('(&(a=ü\\2a)(b=x*)(c=*y*z))')).toEqual({
    type: 'and',
    filters: [
      { type: 'equals', attribute: 'a', value: '\u00c3\u00bc*' },
      { type: 'substrings', attribute: 'b', parts: ['x', ''] },
      { type: 'substrings', attribute: 'c', parts: ['', 'y', 'z'] },
    ],
  })
  expect(parseLdapFilter('(a<=5)')).toEqual({ type: 'less', attribute: 'a', value: '5' })
})

test.each([
  ['ldap://d.test/dc=example,dc=com', {}, {}, []],
  ['ldaps://d.test', { filter: '(a=b)', attribute: 'cn' }, ADMIN, []],
  ['ldap://d.test/dc=a??sub', {}, {}, ['url']],
  ['ldap://d.test', { filter: 'a=b' }, {}, ['options.filter']],
  ['ldap://d.test', { attribute: 'cn' }, {}, ['options.filter']],
  ['ldap://d.test', { filter: '(a=b)', attribute: 'c n' }, {}, ['options.attribute']],
  ['ldaps://d.test', { starttls: true }, {}, ['options.starttls']],
  ['ldap://d.test', {}, { username: 'cn=a' }, ['credentials.password']],
  ['ldap://d.test', {}, { password: 'a' }, ['credentials.username']],
])('%s with %j and %j has faults at %j', (url, options, credentials, paths) => {
  const faults = faultsOf('ldap', url, { options, credentials })
  expect(faults).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
