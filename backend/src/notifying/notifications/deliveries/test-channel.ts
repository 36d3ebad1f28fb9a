import { type ChannelTest, type CreateChannelBody, oneLine, toTimestamp } from '@vedette/shared'
import { type Caller, languageOfOrganization, tenantOf } from '../../../access/auth/index.ts'
import { composeMail, type Outbox } from '../../mail/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { notFound } from '../../../platform/errors.ts'
import type { Language } from '../../../platform/language/index.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import { recordSecurityAudit } from '../../../access/security-log/index.ts'
import { draftChannel } from '../channels/service.ts'
import { type ChannelRow, clearChannelFailure, type RecipientRow, recordChannelTest } from '../channels/store.ts'
import { deliver, type DeliveryDeps } from './deliver.ts'
import { DeliveryError, type OutboundResponse } from '../messages/delivery.ts'
import type { Message } from '../messages/message.ts'
import { recordFailure } from './record-failure.ts'
import { inLanguage, truncate, testText } from '../messages/texts.ts'

export interface ChannelTestDeps extends Omit<DeliveryDeps, 'nowMs'> {
  db: Db
  clock: Clock
  outbox: Outbox
  publicUrl(): string
}

const MAX_ANSWER = 1_000

/**
 * Sends a test message to a channel or contact method, once; a refusal is a result. Both logs record it. Throws not_found where
 * there is none.
 */
export async function testChannel(
  deps: ChannelTestDeps,
  caller: Caller,
  channel: RecipientRow | undefined,
): Promise<ChannelTest> {
  if (!channel) throw notFound()
  const { db, clock } = deps
  const { id } = channel
  const { number } = tenantOf(caller.principal)
  const result = await sendTest(deps, caller, channel, true)
  if (result instanceof DeliveryError) await recordFailure(db, number, channel, result, clock.now())
  else await clearChannelFailure(db, number, id)
  const test = toTest(result)
  await recordChannelTest(db, number, id, { at: toTimestamp(clock.now()), delivered: test.delivered })
  return test
}

/** Sends a test message to the channel that a body would create. Nothing is stored but the entries of both logs. */
export async function testDraft(deps: ChannelTestDeps, caller: Caller, body: CreateChannelBody): Promise<ChannelTest> {
  return toTest(await sendTest(deps, caller, await draftChannel(deps, body), false))
}

async function sendTest(
  deps: ChannelTestDeps,
  caller: Caller,
  channel: RecipientRow,
  isStored: boolean,
): Promise<OutboundResponse | undefined | DeliveryError> {
  const { db, clock, outbox } = deps
  const { number } = tenantOf(caller.principal)
  const { id, name, type } = channel
  const language = await languageOfOrganization(db, number)
  const entry = { action: 'channel.tested', target: { kind: 'channel', id }, details: { name, type } } as const
  await recordSecurityAudit(db, number, caller, entry, new Date(clock.now()))
  try {
    const { response, mails } = await deliver(
      { ...deps, nowMs: () => clock.now() },
      channel,
      testMessage(deps, channel, language),
    )
    const subject = { organization: number, kind: 'channel', id } as const
    for (const mail of mails) {
      const unconfirmed = { text: unconfirmedMail(mail.to, deps.publicUrl(), language), hasLink: isStored, language }
      await inTransaction(db, (transaction) => outbox.put(transaction, subject, mail, new Date(clock.now()), unconfirmed))
    }
    return response
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return error
  }
}

/** Contains nothing that a caller can choose: neither the name of the channel nor its templates. */
const unconfirmedMail = (to: string, link: string, language: Language) =>
  composeMail({
    to,
    language,
    subject: 'Test of an e-mail channel of Vedette',
    paragraphs: [
      'Somebody tests whether alerts of this installation of Vedette reach this address:',
      'If you did not expect it, ignore this mail.',
    ],
    link,
  })

const toTest = (result: OutboundResponse | undefined | DeliveryError): ChannelTest =>
  result instanceof DeliveryError
    ? { delivered: false, ...toAnswer(result.response), error: { code: result.code, message: result.message } }
    : { delivered: true, ...toAnswer(result), error: null }

const testMessage = ({ clock, publicUrl }: ChannelTestDeps, { id, name }: ChannelRow, language: Language): Message => ({
  id: encodeId('notification', newId()),
  type: 'channel.test',
  atMs: clock.now(),
  data: { channel: { id: encodeId('channel', id), name } },
  content: inLanguage(testText(name), language),
  language,
  link: publicUrl(),
})

function toAnswer(response: OutboundResponse | undefined): { status_code: number | null; answer: string | null } {
  if (!response) return { status_code: null, answer: null }
  const text = oneLine(response.text)
  return { status_code: response.status, answer: text === '' ? null : truncate(text, MAX_ANSWER) }
}
