import { expect, test } from 'vitest'
import { isDirect } from './proxy.ts'

test.each<[string, string, boolean]>([
  ['', 'http://vedette.test', false],
  ['*', 'http://vedette.test', true],
  // A domain covers its hosts, with and without a dot, in any case.
  ['corp.test', 'http://vedette.corp.test', true],
  ['.corp.test', 'http://vedette.corp.test', true],
  ['*.corp.test', 'http://vedette.corp.test', true],
  ['.corp.test', 'http://corp.test', true],
  ['Corp.Test', 'http://vedette.CORP.test', true],
  ['corp.test.', 'http://vedette.corp.test', true],
  ['corp.test', 'http://notcorp.test', false],
  ['elsewhere, corp.test', 'http://corp.test', true],
  ['elsewhere corp.test', 'http://corp.test', true],
  [',, ', 'http://corp.test', false],
  // Ports.
  ['corp.test:8080', 'http://corp.test:8080', true],
  ['corp.test:8080', 'http://corp.test', false],
  ['corp.test:443', 'https://corp.test', true],
  // Addresses and networks.
  ['192.0.2.7', 'http://192.0.2.7', true],
  ['192.0.2.7', 'http://192.0.2.70', false],
  ['192.0.2.0/24', 'http://192.0.2.70:8080', true],
  ['192.0.2.0/25', 'http://192.0.2.200', false],
  ['0.0.0.0/0', 'http://192.0.2.200', true],
  ['192.0.2.0/33', 'http://192.0.2.1', false],
  ['192.0.2.0/x', 'http://192.0.2.1', false],
  ['2001:db8::/32', 'http://[2001:db8::7]', true],
  ['[2001:db8::7]:8080', 'http://[2001:db8::7]:8080', true],
  ['2001:db8::7', 'http://[2001:db8:0:0::7]', true],
  ['2001:db8::/32', 'http://[2001:db9::7]', false],
  ['192.0.2.0/24', 'http://corp.test', false],
  // The loopback, whatever is listed.
  ['', 'http://localhost:4000', true],
  ['', 'http://127.0.0.2:4000', true],
  ['', 'http://[::1]:4000', true],
  ['', 'http://localhost.corp.test', false],
])('NO_PROXY %j and %s: reached directly is %s', (noProxy, url, direct) => {
  expect(isDirect(noProxy, new URL(url))).toBe(direct)
})
