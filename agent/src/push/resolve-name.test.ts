import { expect, test } from 'vitest'
import { findInHosts, createLookup, type HostAddress } from './resolve-name.ts'

const HOSTS = '# comment\n127.0.0.1\tlocalhost  loop # end\n::1 localhost\n10.0.0.5 Vedette.lan vedette\nnonsense vedette.lan\n'

test.each([
  ['localhost', ['127.0.0.1', '::1']],
  ['loop', ['127.0.0.1']],
  ['VEDETTE.LAN', ['10.0.0.5']],
  ['vedette', ['10.0.0.5']],
  ['end', []],
  ['', []],
])('%s', (name, addresses) => expect(findInHosts(HOSTS, name).map((entry) => entry.address)).toEqual(addresses))

/** The addresses of a lookup and the resolvers used. */
function lookup(name: string, options: object, known: HostAddress[]): Promise<unknown[]> {
  const { promise, resolve } = Promise.withResolvers<unknown[]>()
  const system = () => resolve(['system lookup'])
  createLookup(() => Promise.resolve(known), system)(name, options, (...answer) => resolve(answer))
  return promise
}
const BOTH: HostAddress[] = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
]

test.each<[string, object, HostAddress[], unknown[]]>([
  ['all of them', { all: true }, BOTH, [null, BOTH]],
  ['the first', {}, BOTH, [null, '192.0.2.1', 4]],
  ['of one family', { family: 6 }, BOTH, [null, '2001:db8::1', 6]],
  ['a name that DNS does not know goes to the system', { all: true }, [], ['system lookup']],
])('%s', async (_, options, known, answer) => expect(await lookup('v.example.com', options, known)).toEqual(answer))

test('a name of the hosts file is not looked up elsewhere', async () => {
  expect(await lookup('localhost', { family: 4 }, [])).toEqual([null, '127.0.0.1', 4])
})
