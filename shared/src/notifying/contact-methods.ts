import { type Static, Type } from 'typebox'
import { CONTACT_METHOD_TYPES } from './channel-types.ts'
import { ChannelConfig, ChannelConfigBody, ChannelFault, ChannelLastTest } from './channels.ts'
import { IdOf } from '../wire/ids.ts'
import { PageAnswer, PageQuery, Ref, Timestamp } from '../wire/wire.ts'

/** Of a member in an organization. */
export const MAX_CONTACT_METHODS = 10

export const ContactMethodType = Type.Enum([...CONTACT_METHOD_TYPES], {
  $id: 'ContactMethodType',
  description: 'The type of a contact method; `email` goes to the verified e-mail of the account',
  examples: ['ntfy'],
})

export const CreateContactMethodBody = Type.Object(
  { type: Ref(ContactMethodType), config: Type.Optional(Ref(ChannelConfigBody)) },
  {
    $id: 'CreateContactMethodBody',
    description: 'A way to reach the signed-in user; `config` as of a channel of the type, without `to` for `email`',
    examples: [{ type: 'ntfy', config: { url: 'https://ntfy.example.com', topic: 'ada' } }],
    additionalProperties: false,
  },
)
export type CreateContactMethodBody = Static<typeof CreateContactMethodBody>

export const ContactMethod = Type.Object(
  {
    id: IdOf('channel'),
    type: Ref(ContactMethodType),
    config: { ...Ref(ChannelConfig), examples: [{ url: 'https://ntfy.example.com', topic: 'ada', token: '•••' }] },
    created_at: Timestamp,
    last_error: Type.Union([Ref(ChannelFault), Type.Null()], {
      description: 'of the last delivery or test; null after a success',
      examples: [null],
    }),
    last_test: Type.Union([Ref(ChannelLastTest), Type.Null()], { description: 'null before the first test' }),
  },
  { $id: 'ContactMethod', description: 'A way to reach a member when an escalation policy notifies them' },
)
export type ContactMethod = Static<typeof ContactMethod>

export const ContactMethodListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const ContactMethodList = Type.Object(
  { contact_methods: Type.Array(Ref(ContactMethod)), ...PageAnswer },
  { $id: 'ContactMethodList', description: 'A page of the contact methods of the user in the organization, newest first' },
)
export type ContactMethodList = Static<typeof ContactMethodList>
