import { expect, it } from 'vitest'
import { parseSettings } from '../../../operating/settings/index.ts'
import { isPushHost } from './browsers.ts'

const { pushHosts: hosts } = parseSettings({}, '/nowhere')

it.each([
  'https://fcm.googleapis.com/fcm/send/a:b',
  'https://fcm.googleapis.com:443/a',
  'https://updates.push.services.mozilla.com/wpush/v2/a',
  'https://web.push.apple.com/a',
  'https://wns2-par02p.notify.windows.com/w/?token=a',
])('%s is an endpoint of a push service of a browser', (endpoint) => expect(isPushHost(endpoint, hosts)).toBe(true))

it.each([
  ['http', 'http://fcm.googleapis.com/a'],
  ['another host', 'https://example.com/fcm.googleapis.com'],
  ['a longer host', 'https://fcm.googleapis.com.example.com/a'],
  ['a host that ends alike', 'https://evilfcm.googleapis.com/a'],
  ['a host that ends alike without a dot', 'https://evilpush.apple.com/a'],
  ['the end of a host alone', 'https://push.apple.com/a'],
  ['an IPv4 address', 'https://127.0.0.1/a'],
  ['a number for an IPv4 address', 'https://2130706433/a'],
  ['an IPv6 address', 'https://[::1]/a'],
  ['a user', 'https://fcm.googleapis.com@example.com/a'],
  ['a user at the host', 'https://user@fcm.googleapis.com/a'],
  ['a password at the host', 'https://:password@fcm.googleapis.com/a'],
  ['a port', 'https://fcm.googleapis.com:8443/a'],
  ['a port of many hosts', 'https://web.push.apple.com:22/a'],
  ['a dot at its end', 'https://fcm.googleapis.com./a'],
  ['letters that look alike', 'https://fcm.g\u043eogleapis.com/a'],
  ['a backslash', 'https://example.com\\@fcm.googleapis.com/a'],
  ['a blank host', 'https://%20fcm.googleapis.com/a'],
])('an endpoint with %s is none', (_, endpoint) => expect(URL.canParse(endpoint) && isPushHost(endpoint, hosts)).toBe(false))

it('no endpoint is one where the setting is `none`', () => expect(isPushHost('https://none/a', 'none')).toBe(false))
