import { type Static, Type } from 'typebox'
import { ChannelFault } from './channels.ts'
import { IdOf } from '../wire/ids.ts'
import { PageAnswer, PageQuery, Ref, Secret, Timestamp, UserAgentText } from '../wire/wire.ts'

/** Of push services in use: up to 600 characters. */
const MAX_ENDPOINT_LENGTH = 2_048

/** The examples are the keys of RFC 8291, appendix A. */
const base64Url = (bytes: number, description: string, example: string) => ({
  pattern: `^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`,
  description: `${description}: ${bytes} bytes in base64url`,
  examples: [example],
})

const PUBLIC_KEY = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'

/** `endpoint` and `keys` of what `PushSubscription.toJSON()` of a browser gives. */
export const PushSubscriptionBody = Type.Object(
  {
    endpoint: Secret({
      maxLength: MAX_ENDPOINT_LENGTH,
      pattern: '^https://',
      description: 'URL of the push service',
      examples: ['https://push.example.com/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV'],
    }),
    keys: Type.Object(
      {
        p256dh: Type.String(base64Url(65, 'public key of the browser', PUBLIC_KEY)),
        auth: Secret(base64Url(16, 'secret of the browser', 'BTBZMqHH6r4Tts7J_aSIgg')),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'PushSubscriptionBody', description: 'A subscription of a browser for Web Push', additionalProperties: false },
)
export type PushSubscriptionBody = Static<typeof PushSubscriptionBody>

export const PushSubscriptionItem = Type.Object(
  {
    id: IdOf('pushSubscription'),
    endpoint_sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the endpoint: a browser finds itself by it',
      examples: ['b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'],
    }),
    user_agent: { ...UserAgentText, description: 'of the browser' },
    created_at: Timestamp,
    last_error: Type.Union([Ref(ChannelFault), Type.Null()], {
      description: 'of the last delivery or test; null after a success',
      examples: [null],
    }),
  },
  {
    $id: 'PushSubscriptionItem',
    description: 'A browser that shows notifications of the incidents in the organizations of the user',
  },
)
export type PushSubscriptionItem = Static<typeof PushSubscriptionItem>

export const PushSubscriptionListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const PushSubscriptionList = Type.Object(
  {
    push_subscriptions: Type.Array(Ref(PushSubscriptionItem)),
    public_key: Type.String(base64Url(65, '`applicationServerKey` of subscriptions at this installation (VAPID)', PUBLIC_KEY)),
    ...PageAnswer,
  },
  { $id: 'PushSubscriptionList', description: 'A page of the browsers of the user, newest first' },
)
export type PushSubscriptionList = Static<typeof PushSubscriptionList>
