import { MASK, validateDefinition } from '@vedette/shared/tables'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Draft } from '../draft.ts'
import { toMonitorBody } from '../input.ts'
import { toInput } from '../new-input.ts'
import { proposalsFor } from './index.ts'
import { MAX_TYPED_LENGTH } from './limits.ts'

const read = (text: string): Draft[] => proposalsFor(text, 'Europe/Berlin')
const UUID = '5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278'

type Row = [text: string, first: Partial<Draft>, kinds?: string]

/** A draft contains what is said of it, and the kinds are all that are proposed, in this order. */
const check = (rows: readonly Row[]) =>
  it.each(rows)('%j', (text, first, kinds) => {
    const drafts = read(text)
    expect(drafts[0]).toMatchObject(first)
    const all = drafts.map(({ type }) => type).join(' ')
    expect(all).toBe(kinds ?? all)
    for (const draft of drafts) {
      const faults = validateDefinition(toMonitorBody(toInput(draft))).filter(({ path }) => !path.startsWith('credentials.'))
      expect([draft, faults]).toEqual([draft, []])
    }
  })

describe('one box takes a host', () => {
  check([
    ['shop.example', { type: 'http', url: 'https://shop.example' }, 'http tls icmp domain dns'],
    ['  Shop.Example.  ', { type: 'http', url: 'https://Shop.Example.' }],
    ['"shop.example"', { type: 'http', url: 'https://shop.example' }],
    ['https://shop.example', { type: 'http', url: 'https://shop.example' }, 'http tls'],
    ['HTTPS://SHOP.example/', { type: 'http', url: 'HTTPS://SHOP.example/' }],
    ['<https://shop.example/a>', { type: 'http', url: 'https://shop.example/a' }],
    ['http://shop.example:8080/health?x=1', { type: 'http', url: 'http://shop.example:8080/health?x=1' }, 'http'],
    ['shop.example/', { type: 'http', url: 'https://shop.example' }],
    ['shop.example/health', { type: 'http', url: 'https://shop.example/health' }, 'http tls'],
    ['shop.example:8443/health', { type: 'http', url: 'https://shop.example:8443/health' }],
    ['bücher.example', { type: 'http', url: 'https://bücher.example' }],
    ['日本.example', { type: 'http' }, 'http tls icmp domain dns'],
    ['router', { type: 'icmp', url: 'icmp://router' }, 'icmp http'],
    ['localhost:3000', { type: 'http', url: 'http://localhost:3000' }, 'http http tcp'],
    ['127.0.0.1', { type: 'icmp', url: 'icmp://127.0.0.1' }, 'icmp http'],
    ['::1', { type: 'icmp', url: 'icmp://[::1]' }, 'icmp http'],
    ['[::1]', { type: 'icmp', url: 'icmp://[::1]' }],
    ['[::1]:5432', { type: 'postgres', url: 'postgres://[::1]:5432' }],
    ['db:5432', { type: 'postgres', url: 'postgres://db:5432' }, 'postgres tcp'],
    ['db 5432', { type: 'postgres', url: 'postgres://db:5432' }],
    ['db:3306', { type: 'mysql', url: 'mysql://db:3306' }],
    ['cache:6379', { type: 'redis', url: 'redis://cache:6379' }],
    ['bastion.example:22', { type: 'ssh', url: 'ssh://bastion.example' }, 'ssh tcp tls'],
    ['shop.example:443', { type: 'http', url: 'https://shop.example' }],
    ['shop.example:80', { type: 'http', url: 'http://shop.example' }],
    ['api:50051', { type: 'grpc', url: 'grpc://api:50051' }],
    ['app.example:12345', { type: 'tcp', url: 'tcp://app.example:12345' }, 'tcp http http tls'],
    ['shop.example:8443', { type: 'http', url: 'https://shop.example:8443' }, 'http http tcp tls'],
    ['192.0.2.7:12345', { type: 'tcp', url: 'tcp://192.0.2.7:12345' }, 'tcp http http'],
    ['shop.example:22', { type: 'ssh', url: 'ssh://shop.example' }, 'ssh tcp tls'],
    ['mail.example.com', { type: 'smtp', url: 'smtp://mail.example.com' }, 'smtp imap http tls icmp domain'],
    ['mail.example.com:587', { type: 'smtp', url: 'smtp://mail.example.com:587', options: { tls: 'starttls' } }, 'smtp'],
    ['mail.example.com:993', { type: 'imap', options: { tls: 'implicit' } }],
    ['ns1.example.com', { type: 'dns', url: 'dns://ns1.example.com/example.com?type=SOA' }],
    ['ada@shop.example', { type: 'dns', url: 'dns:///shop.example?type=MX' }, 'dns domain http tls'],
  ])
})

describe('one box takes what people call a kind, and status pages', () => {
  check([
    ['mqtt broker.example', { type: 'mqtt', url: 'mqtt://broker.example' }],
    ['MQTT broker.example 1884', { type: 'mqtt', url: 'mqtt://broker.example:1884' }],
    ['ldaps ldap.example', { type: 'ldap', url: 'ldaps://ldap.example' }],
    ['ntp pool', { type: 'ntp', url: 'ntp://pool.ntp.org' }],
    ['pool.ntp.org', { type: 'ntp', url: 'ntp://pool.ntp.org' }],
    ['de.pool.ntp.org', { type: 'ntp', url: 'ntp://de.pool.ntp.org' }],
    ['radius radius.example', { type: 'radius', url: 'radius://radius.example' }],
    ['udp game.example 27015', { type: 'udp', url: 'udp://game.example:27015' }],
    ['game.example:27015/udp', { type: 'udp', url: 'udp://game.example:27015' }],
    ['game.example:9987/tcp', { type: 'tcp', url: 'tcp://game.example:9987' }],
    ['sip:100@pbx.example', { type: 'sip', url: 'sip://pbx.example' }],
    ['sips:pbx.example:5071;transport=tcp', { type: 'sip', url: 'sips://pbx.example:5071' }],
    ['pbx.example:5061', { type: 'sip', url: 'sips://pbx.example:5061' }],
    ['nc -zu game.example 9987', { type: 'udp', url: 'udp://game.example:9987' }],
    ['ntpq -p time.example', { type: 'ntp', url: 'ntp://time.example' }],
    ['ldapsearch -x -H ldap://ldap.example -b dc=example', { type: 'ldap', url: 'ldap://ldap.example' }],
    ['ldapsearch -x -h ldap.example -b dc=example', { type: 'ldap', url: 'ldap://ldap.example' }],
    [
      'snmpwalk -v2c -c public sw.example system',
      { type: 'snmp', url: 'snmp://sw.example', credentials: { community: 'public' } },
    ],
    ['snmpget -v 1 -c public sw.example sysUpTime.0', { type: 'snmp', options: { version: '1' } }],
    ['ffplay rtsp://cam.example/live', { type: 'rtsp', url: 'rtsp://cam.example/live' }],
    ['https://www.githubstatus.com', { type: 'upstream', url: 'https://www.githubstatus.com' }, 'upstream http tls'],
    ['githubstatus.com', { type: 'upstream', url: 'https://www.githubstatus.com' }],
    ['https://status.shop.example/', { type: 'http', url: 'https://status.shop.example/' }, 'http upstream tls'],
    ['https://status.shop.example/history', { type: 'http' }, 'http tls'],
    ['shopstatus.example', { type: 'http' }, 'http upstream tls icmp domain dns'],
  ])
})

describe('one box takes a connection string', () => {
  check([
    [
      'postgres://probe:s3cret@db.example.com:5432/app',
      { type: 'postgres', url: 'postgres://db.example.com:5432/app', credentials: { username: 'probe', password: 's3cret' } },
      'postgres',
    ],
    ['postgresql://db/app?sslmode=require', { url: 'postgres://db/app', options: { tls: 'required', verify_tls: false } }],
    ['postgresql://db/app?sslmode=verify-full', { options: { tls: 'required' } }],
    ['postgresql+psycopg2://u:p@db/app', { type: 'postgres', url: 'postgres://db/app' }],
    ['jdbc:postgresql://db:5432/app?user=probe&password=s3cret', { credentials: { username: 'probe', password: 's3cret' } }],
    ['postgres://u:p%40ss%2Fword@db', { credentials: { username: 'u', password: 'p@ss/word' } }],
    ['postgres://u:p@ss@db:5432/app', { url: 'postgres://db:5432/app', credentials: { username: 'u', password: 'p@ss' } }],
    ['postgres://u:p/s#s?@db:5432/app', { url: 'postgres://db:5432/app', credentials: { username: 'u', password: 'p/s#s?' } }],
    ['postgres://u:p@[::1]:5432/app', { url: 'postgres://[::1]:5432/app' }],
    ['postgres://u:p@one:5432,two:5433/app', { url: 'postgres://one:5432/app' }, 'postgres postgres'],
    [
      'host=db port=5432 dbname=app user=probe password=s3cret',
      { url: 'postgres://db:5432/app', credentials: { password: 's3cret' } },
    ],
    ["host=db user=probe password='s3 cret'", { url: 'postgres://db', credentials: { password: 's3 cret' } }],
    ['mysql://probe:s3cret@db/app', { type: 'mysql', url: 'mysql://db/app', credentials: { username: 'probe' } }],
    ['mariadb://db', { type: 'mysql', url: 'mysql://db' }],
    ['mysql+pymysql://u:p@db:3306/app', { type: 'mysql', url: 'mysql://db:3306/app' }],
    ['mysql://u:p@tcp(db:3306)/app', { type: 'mysql', url: 'mysql://db:3306/app' }],
    ['redis://:s3cret@cache:6379/2', { type: 'redis', url: 'redis://cache:6379/2', credentials: { password: 's3cret' } }],
    ['rediss://default:s3cret@cache', { options: { tls: 'required' }, credentials: { username: 'default', password: 's3cret' } }],
    ['amqp://guest:s3cret@mq', { type: 'tcp', url: 'tcp://mq:5672' }, 'tcp'],
    ['amqps://guest:s3cret@mq.example', { type: 'tls', url: 'tls://mq.example:5671' }, 'tls tcp'],
    [
      'mongodb://u:s3cret@m1,m2/app?authSource=admin&tls=true',
      {
        type: 'mongodb',
        url: 'mongodb://m1/app',
        options: { tls: 'required', auth_source: 'admin' },
        credentials: { username: 'u' },
      },
      'mongodb mongodb',
    ],
    ['ssh://ada@bastion.example:2222', { type: 'ssh', url: 'ssh://bastion.example:2222' }, 'ssh'],
    ['sftp://ada:s3cret@files.example/a', { type: 'ssh', url: 'ssh://files.example' }, 'ssh'],
    ['ftp://files.example/pub', { type: 'ftp', url: 'ftp://files.example' }, 'ftp'],
    [
      'ftps://ada:s3cret@files.example/pub/a',
      { type: 'ftp', url: 'ftp://files.example/pub/a', options: { tls: 'implicit' }, credentials: { password: 's3cret' } },
    ],
    ['mqtt://broker', { type: 'mqtt', url: 'mqtt://broker' }, 'mqtt'],
    ['mqtts://u:s3cret@broker/a/+/c', { type: 'mqtt', url: 'mqtts://broker/a/+/c', credentials: { username: 'u' } }],
    ['mqtt://broker/a+', { type: 'mqtt', url: 'mqtt://broker' }],
    ['ntp://time.example', { type: 'ntp', url: 'ntp://time.example' }],
    ['radius://radius.example:1645', { type: 'radius', url: 'radius://radius.example:1645' }],
    ['mongodb+srv://u:s3cret@cluster.example/app', { type: 'dns', url: 'dns:///_mongodb._tcp.cluster.example?type=SRV' }],
    ['ldaps://ldap.example', { type: 'ldap', url: 'ldaps://ldap.example' }],
    [
      'ldap://cn=ada,dc=example:s3cret@ldap.example:390/dc=example',
      {
        type: 'ldap',
        url: 'ldap://ldap.example:390/dc=example',
        credentials: { username: 'cn=ada,dc=example', password: 's3cret' },
      },
    ],
    ['snmp://switch', { type: 'snmp', url: 'snmp://switch' }],
    ['sip://ada@pbx.example', { type: 'sip', url: 'sip://pbx.example' }],
    [
      'rtsp://ada:s3cret@camera:554/h264?channel=1',
      { type: 'rtsp', url: 'rtsp://camera:554/h264?channel=1', credentials: { username: 'ada', password: 's3cret' } },
    ],
    ['udp://game:27015', { type: 'udp', url: 'udp://game:27015' }],
    ['switch:161', { type: 'snmp', url: 'snmp://switch:161' }],
    ['ldap.example:636', { type: 'ldap', url: 'ldaps://ldap.example:636' }],
    ['camera:554', { type: 'rtsp', url: 'rtsp://camera:554' }],
    ['pbx:5060', { type: 'sip', url: 'sip://pbx:5060' }],
    ['smtp://u:s3cret@mail.example', { type: 'smtp', url: 'smtp://mail.example:587', credentials: { password: 's3cret' } }],
    ['imaps://mail.example', { type: 'imap', url: 'imap://mail.example:993', options: { tls: 'implicit' } }],
    ['wss://shop.example/live', { type: 'websocket', url: 'wss://shop.example/live' }],
    ['grpcs://api.example:443/shop.v1.Orders', { type: 'grpc', url: 'grpcs://api.example:443/shop.v1.Orders' }],
    ['tcp://db:5432', { type: 'tcp', url: 'tcp://db:5432' }],
    ['tls://ldap.example:636', { type: 'tls', url: 'tls://ldap.example:636' }],
    ['icmp://router', { type: 'icmp', url: 'icmp://router' }],
    ['domain://example.com', { type: 'domain', url: 'domain://example.com' }],
    ['dns://9.9.9.9/example.com?type=TXT', { type: 'dns', url: 'dns://9.9.9.9/example.com?type=TXT' }],
    [
      'https://ada:s3cret@shop.example/a',
      { type: 'http', url: 'https://shop.example/a', headers: [['Authorization', 'Basic YWRhOnMzY3JldA==']] },
    ],
  ])
})

describe('one box takes a command', () => {
  check([
    ['curl https://shop.example', { type: 'http', url: 'https://shop.example' }, 'http tls'],
    ['$ curl -fsSL shop.example/health', { type: 'http', url: 'http://shop.example/health' }],
    ['curl -I https://shop.example', { method: 'HEAD' }],
    [
      `curl -X POST 'https://api.example/orders' -H 'Content-Type: application/json' --data-raw '{"dry": true}'`,
      {
        method: 'POST',
        url: 'https://api.example/orders',
        headers: [['Content-Type', 'application/json']],
        body: '{"dry": true}',
      },
    ],
    [
      'curl https://api.example/ \\\n  -H "Authorization: Bearer abc.def" \\\n  -H "X-Team: shop" \\\n  --compressed -k -m 5',
      {
        credentials: { bearer_token: 'abc.def' },
        headers: [['X-Team', 'shop']],
        verifyTls: false,
        timeoutSeconds: 5,
      },
    ],
    ['curl ^\n -u ada:s3cret https://api.example', { headers: [['Authorization', 'Basic YWRhOnMzY3JldA==']] }],
    ['curl -uada:s3cret https://api.example', { headers: [['Authorization', 'Basic YWRhOnMzY3JldA==']] }],
    ['curl -d a=1 -d b=2 https://api.example', { method: 'POST', body: 'a=1&b=2' }],
    ['curl -G -d a=1 https://api.example/x', { url: 'https://api.example/x?a=1' }],
    [`curl --json '{}' https://api.example`, { method: 'POST', body: '{}' }],
    ["curl $'https://api.example/\\'a'", { url: "https://api.example/'a" }],
    ['curl -sSo /dev/null -w "%{http_code}" https://api.example', { url: 'https://api.example' }],
    ['curl -H "Connection: close" -H "Sec-Fetch-Mode: cors" https://a.example', { type: 'http' }],
    ['wget -qO- https://shop.example', { type: 'http', url: 'https://shop.example' }],
    ['http POST api.example/orders', { type: 'http', url: 'http://api.example/orders', method: 'POST' }],
    ['ping router', { type: 'icmp', url: 'icmp://router' }, 'icmp'],
    ['ping -c 3 192.0.2.7', { type: 'icmp', url: 'icmp://192.0.2.7' }],
    ['traceroute shop.example', { type: 'icmp', url: 'icmp://shop.example' }],
    ['ssh host', { type: 'ssh', url: 'ssh://host' }, 'ssh icmp'],
    ['ssh -p 2222 -i key.pem ada@bastion.example', { type: 'ssh', url: 'ssh://bastion.example:2222' }],
    ['ssh-keyscan -p 22 host', { type: 'ssh', url: 'ssh://host' }],
    [
      'mosquitto_sub -h broker -t plant/temperature -u ada -P s3cret',
      { type: 'mqtt', url: 'mqtt://broker/plant/temperature', credentials: { username: 'ada', password: 's3cret' } },
    ],
    ['mosquitto_sub -L mqtts://ada:s3cret@broker/a', { type: 'mqtt', url: 'mqtts://broker/a' }],
    ['mosquitto_sub -h broker -p 8883 -t a', { type: 'mqtt', url: 'mqtts://broker:8883/a' }],
    ['ftp files.example 2121', { type: 'ftp', url: 'ftp://files.example:2121' }],
    ['lftp -u ada,s3cret files.example', { type: 'ftp', credentials: { username: 'ada', password: 's3cret' } }],
    ['lftp ftps://files.example', { type: 'ftp', options: { tls: 'implicit' } }],
    ['ntpdate -q time.example', { type: 'ntp', url: 'ntp://time.example' }],
    [
      'radtest ada s3cret radius.example:1812 0 s4cret',
      {
        type: 'radius',
        url: 'radius://radius.example:1812',
        credentials: { username: 'ada', password: 's3cret', shared_secret: 's4cret' },
      },
    ],
    ['mongosh --host db --port 27018 -u ada -p s3cret app', { type: 'mongodb', url: 'mongodb://db:27018/app' }],
    ['mongosh "mongodb://db/app"', { type: 'mongodb', url: 'mongodb://db/app' }],
    ['telnet db 5432', { type: 'tcp', url: 'tcp://db:5432' }],
    ['nc -vz db.example 9092', { type: 'tcp', url: 'tcp://db.example:9092' }],
    [
      'openssl s_client -connect ldap.example:389 -starttls ldap',
      { type: 'tls', url: 'tls://ldap.example:389', options: { starttls: 'ldap' } },
    ],
    ['dig +short MX example.com @9.9.9.9', { type: 'dns', url: 'dns://9.9.9.9/example.com?type=MX' }],
    ['nslookup -type=txt example.com', { type: 'dns', url: 'dns:///example.com?type=TXT' }],
    ['dig -x 192.0.2.7', { type: 'dns', url: 'dns:///192.0.2.7?type=PTR' }],
    ['whois example.com', { type: 'domain', url: 'domain://example.com' }],
    [
      'PGPASSWORD=s3cret psql -h db -p 5433 -U probe -d app',
      { type: 'postgres', url: 'postgres://db:5433/app', credentials: { username: 'probe', password: 's3cret' } },
    ],
    ['psql "postgres://u:s3cret@db/app"', { type: 'postgres', url: 'postgres://db/app', credentials: { password: 's3cret' } }],
    [
      'mysql -h db -u probe -ps3cret app',
      { type: 'mysql', url: 'mysql://db/app', credentials: { username: 'probe', password: 's3cret' } },
    ],
    ['mysql -hdb -uprobe -p app', { type: 'mysql', url: 'mysql://db/app', credentials: { username: 'probe' } }],
    ['redis-cli -h cache -a s3cret', { type: 'redis', url: 'redis://cache', credentials: { password: 's3cret' } }],
    ['grpcurl -plaintext api:50051 list', { type: 'grpc', url: 'grpc://api:50051' }],
    ['wscat -c wss://shop.example/live', { type: 'websocket', url: 'wss://shop.example/live' }],
    ['Invoke-WebRequest -Uri "https://shop.example/a"', { type: 'http', url: 'https://shop.example/a' }],
    ['see https://shop.example/a, please.', { type: 'http', url: 'https://shop.example/a' }],
  ])
})

describe('one box takes a schedule', () => {
  const at = (cron: string, grace = 3_600, zone = 'Europe/Berlin') => ({
    options: { schedule: { cron, time_zone: zone, grace_seconds: grace } },
  })
  check([
    ['0 2 * * *', { type: 'heartbeat', ...at('0 2 * * *') }, 'heartbeat'],
    ['0 2 * * * /usr/local/bin/backup.sh --password=s3cret', { name: 'backup', ...at('0 2 * * *') }],
    ['*/5 * * * * root /usr/bin/sync-mail', { name: 'sync-mail', ...at('*/5 * * * *', 150) }],
    ['30 3 * * 1-5 PASSWORD=s3cret pg_dump app', { name: 'pg_dump' }],
    ['@daily certbot renew', { name: 'certbot', ...at('@daily') }],
    ['TZ=UTC 0 2 * * *', at('0 2 * * *', 3_600, 'UTC')],
    ['schedule: "0 2 * * *"', at('0 2 * * *')],
    ['# backups\nMAILTO=ada\n0 2 * * * /bin/a\n0 3 * * * /bin/b', { name: 'a' }, 'heartbeat heartbeat'],
    [
      'OnCalendar=Mon..Fri 02:30',
      { options: { schedule: { on_calendar: 'Mon..Fri 02:30', time_zone: 'Europe/Berlin', grace_seconds: 3_600 } } },
    ],
    ['*-*-* 02:00', { type: 'heartbeat' }],
    ['every 5 minutes', { options: { schedule: { period_seconds: 300, grace_seconds: 150 } } }],
    ['alle 10 Minuten', { options: { schedule: { period_seconds: 600, grace_seconds: 300 } } }],
    ['10 min', { options: { schedule: { period_seconds: 600, grace_seconds: 300 } } }],
    ['every hour', { options: { schedule: { period_seconds: 3_600, grace_seconds: 1_800 } } }],
    ['every day at 2:30', at('30 2 * * *')],
    ['täglich um 9 Uhr', at('0 9 * * *')],
    ['every Monday at 9:15', at('15 9 * * 1')],
    ['jeden Montag', at('0 0 * * 1')],
    ['hourly', at('0 * * * *', 1_800)],
    [
      'https://kuma.example/api/push/Ab3dE6gH9k?status=up&msg=OK&ping=',
      { type: 'heartbeat', credentials: { token: 'Ab3dE6gH9k' } },
      'heartbeat',
    ],
    [`https://hc-ping.com/${UUID}`, { type: 'heartbeat', credentials: { token: UUID } }, 'heartbeat'],
    [`curl -fsS -m 10 --retry 5 https://hc.example/ping/${UUID}/start`, { type: 'heartbeat', credentials: { token: UUID } }],
  ])
})

describe('one box understands nothing', () => {
  it.each([
    '',
    '   ',
    '?',
    'what is this',
    'a b c d e',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'about:blank',
    '<img src=x onerror=alert(1)>',
    'shop.example:99999',
    'shop.example:port',
    'postgres://',
    'postgres://u:p@:5432',
    'gopher://shop.example',
    'constructor://shop.example',
    'curl -X',
    '60 2 * * *',
    '../../../etc/passwd',
    '@',
    'a@',
    ':::::',
    '[',
    '[]:80',
    'http://',
    'https://:443',
    'x'.repeat(MAX_TYPED_LENGTH + 1),
  ])('of %j', (text) => {
    expect(read(text)).toEqual([])
  })
})

describe('what is proposed', () => {
  /** Everything that a page shows, that is stored in clear or that stands in an address. */
  const openOf = ({ credentials: _c, headers: _h, body: _b, ...draft }: Draft): string => JSON.stringify(draft)

  it('has secrets in secret fields alone', () => {
    const secret = fc.stringMatching(/^[a-zA-Z0-9]{12,20}$/).map((text) => `Zq9${text}`)
    const form = fc.constantFrom<((s: string) => string)[][number]>(
      (s) => `postgres://probe:${s}@db.example.com:5432/app`,
      (s) => `postgres://probe:${s}/x@db.example.com/app`,
      (s) => `jdbc:mysql://db.example.com/app?user=probe&password=${s}`,
      (s) => `mysql://probe:${s}@db.example.com`,
      (s) => `redis://:${s}@cache:6379`,
      (s) => `redis://${s}@cache:6379`,
      (s) => `amqp://guest:${s}@mq.example.com/vhost`,
      (s) => `mongodb://u:${s}@db.example.com/app`,
      (s) => `mqtt://u:${s}@broker/a`,
      (s) => `ftp://u:${s}@files.example.com/a`,
      (s) => `radtest ada ${s} radius.example 0 ${s}`,
      (s) => `mosquitto_sub -h broker -t a -u ada -P ${s}`,
      (s) => `mongosh -u ada -p ${s} app`,
      (s) => `mongodb+srv://u:${s}@cluster.example.com/app`,
      (s) => `host=db user=probe password=${s}`,
      (s) => `https://ada:${s}@shop.example.com/a`,
      (s) => `curl -u ada:${s} https://shop.example.com`,
      (s) => `curl -H 'Authorization: Bearer ${s}' https://shop.example.com`,
      (s) => `curl -H 'X-Api-Key: ${s}' -d 'password=${s}' https://shop.example.com`,
      (s) => `curl https://ada:${s}@shop.example.com`,
      (s) => `curl --oauth2-bearer ${s} https://shop.example.com`,
      (s) => `PGPASSWORD=${s} psql -h db -U probe`,
      (s) => `mysql -h db -u probe -p${s}`,
      (s) => `redis-cli -h cache -a ${s} ping`,
      (s) => `0 2 * * * PASSWORD=${s} /bin/backup --token ${s}`,
      (s) => `0 2 * * * curl -H 'X-Token: ${s}' https://a.example/${s}`,
      (s) => `https://kuma.example/api/push/${s}?status=up`,
    )
    fc.assert(
      fc.property(form, secret, (write, value) => {
        for (const draft of read(write(value))) expect(openOf(draft)).not.toContain(value)
      }),
      { numRuns: 500 },
    )
  })

  it('never throws, whatever is typed, and is a valid start of a monitor', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        'curl ',
        '://',
        '@',
        ':',
        '/',
        '[',
        ']',
        "'",
        '"',
        '\\',
        '\n',
        '$',
        ' -H ',
        ' -d ',
        '* ',
        '0 ',
        'postgres',
        'https',
        '=',
        '\0',
        '\u202e',
        '%',
        '%zz',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        for (const draft of read(pieces.join(''))) {
          const body = toMonitorBody(toInput(draft))
          expect(Object.values(body.credentials ?? {})).not.toContain(MASK)
          const faults = validateDefinition(body).filter(({ path }) => path === 'url' || path.startsWith('options'))
          expect([pieces.join(''), draft, faults]).toEqual([pieces.join(''), draft, []])
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('is read in a time that grows as the length of the text', () => {
    const hostile = [
      'a',
      ' ',
      "'",
      '\\',
      '@',
      ':',
      '/',
      '.',
      '-',
      'a=',
      "a='",
      '* ',
      'a.',
      '[',
      'a@',
      ' a',
      '=',
      '\\\n',
      'http://',
      '://',
      'curl -H ',
      '%',
      '/ping/',
      'ä',
      '.a.',
      '-a ',
    ]
    const heads = ['', 'curl ', 'postgres://', 'host=', 'every ', '0 2 * * * ', 'http://', 'ssh ', '"', 'dig ']
    // User seconds of the process alone: other programs take the clock. A quadratic reader takes minutes for these.
    const before = process.cpuUsage()
    for (const head of heads)
      for (const part of hostile) read(head + part.repeat(Math.floor((MAX_TYPED_LENGTH - head.length) / part.length)))
    expect(process.cpuUsage(before).user / 1e6 / (heads.length * hostile.length)).toBeLessThan(0.1)
  })
})
