import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAlertFixture } from '../../../../test/alert-fixture.ts'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { createOutbox, mailEncrypter } from '../../mail/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { actionEncrypter } from '../action-links/link.ts'
import { channelEncrypter } from '../channels/encrypter.ts'
import { CHANNEL_KINDS } from '../kinds/index.ts'
import { createRequester } from '../deliveries/request.ts'
import { createSender } from '../deliveries/sender.ts'
import { pigeon } from './pigeon.ts'

let backend: TestBackend
let receiver: Receiver
beforeAll(async () => {
  backend = await startTestBackend()
  receiver = await startReceiver()
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

it('a new channel type needs one file and one line: storage, leases, retries and order come with it', async () => {
  const { pool, clock } = backend
  const organization = await backend.organization()
  const alerts = await createAlertFixture(backend, organization, await backend.apiKey(organization, 'admin'))
  await alerts.channel('webhook', { url: receiver.url })
  await pool.db
    .updateTable('channel')
    .set({ type: 'pigeon' as 'webhook' })
    .execute()
  const secrets = createSecrets([TEST_SECRET])
  const ending = new AbortController().signal
  const sender = createSender({
    db: pool.db,
    clock,
    log: silentLog,
    encrypter: channelEncrypter(secrets),
    actionEncrypter: actionEncrypter(secrets),
    kinds: { ...CHANNEL_KINDS, pigeon },
    groupMs: 0,
    send: createRequester(
      ({ port }) =>
        new Promise((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket))
        }),
      ending,
    ),
    outbox: createOutbox(mailEncrypter(secrets), false),
    sendsMail: false,
    publicUrl: undefined,
    ending,
  })
  const deliver = async () => {
    await sender.wake()
    await sender.idle()
  }
  receiver.answer((response) => void response.writeHead(500).end())
  const id = await alerts.open()
  await alerts.resolve(id)
  await deliver()
  receiver.answer((response) => void response.writeHead(200).end())
  clock.advance(10_000)
  await deliver()
  const title = 'Shop is down: no answer'
  expect(receiver.received.map(({ body }) => body)).toEqual([title, title, `Resolved: ${title}`])
  expect(await alerts.waiting()).toEqual([])
})
