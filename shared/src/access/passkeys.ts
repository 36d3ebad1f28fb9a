import { type Static, Type } from 'typebox'
import { GivenPassword, Remember } from './auth.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

/** Passkeys of one user. */
export const MAX_PASSKEYS = 20

const Base64Url = (maxLength: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]+$',
    description: `${description}; base64url`,
    examples: [example],
  })
const KeyHandle = Base64Url(1_364, '`id` of the credential, up to 1,023 bytes', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8')
const ClientData = Base64Url(8_192, '`clientDataJSON`', 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0')

export const NewCredential = Type.Object(
  {
    key_handle: KeyHandle,
    client_data: ClientData,
    attestation_object: Base64Url(65_536, '`attestationObject`, with the public key', 'o2NmbXRkbm9uZQ'),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16, examples: [['internal', 'hybrid']] })),
  },
  {
    $id: 'NewCredential',
    additionalProperties: false,
    description: 'Of `toJSON()` of what `navigator.credentials.create` gives',
  },
)
export type NewCredential = Static<typeof NewCredential>

export const GivenCredential = Type.Object(
  {
    key_handle: KeyHandle,
    client_data: ClientData,
    authenticator_data: Base64Url(8_192, '`authenticatorData`', 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'),
    signature: Base64Url(8_192, 'its signature', 'MEUCIQDO'),
    user_handle: Base64Url(88, '`userHandle`: the user', 'AZ9vsh8ndE-c4Tq8Kz3rLg'),
  },
  {
    $id: 'GivenCredential',
    additionalProperties: false,
    description: 'Of `toJSON()` of what `navigator.credentials.get` gives',
  },
)
export type GivenCredential = Static<typeof GivenCredential>

export const PasskeyName = VisibleText(MAX_NAME_LENGTH, { examples: ['Laptop'] })

export const PasskeyItem = Type.Object(
  {
    id: IdOf('passkey'),
    name: Type.String({ examples: ['Laptop'] }),
    synced: Type.Boolean({ description: 'whether its provider copies it to other devices of the user' }),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  },
  { $id: 'PasskeyItem', description: 'A passkey of the user' },
)
export type PasskeyItem = Static<typeof PasskeyItem>

export const PasskeyListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const PasskeyList = Type.Object(
  { passkeys: Type.Array(Ref(PasskeyItem)), ...PageAnswer },
  { $id: 'PasskeyList', description: 'A page of the passkeys of the user, newest first' },
)
export type PasskeyList = Static<typeof PasskeyList>

const Recent = Type.Optional(GivenPassword)

export const PasskeyProofBody = Type.Object(
  { password: Recent },
  {
    $id: 'PasskeyProofBody',
    additionalProperties: false,
    description: '`password` where the session is older than five minutes',
  },
)
export type PasskeyProofBody = Static<typeof PasskeyProofBody>

export const CreatePasskeyBody = Type.Object(
  { name: PasskeyName, credential: Ref(NewCredential) },
  { $id: 'CreatePasskeyBody', additionalProperties: false },
)
export type CreatePasskeyBody = Static<typeof CreatePasskeyBody>

export const PatchPasskeyBody = Type.Object(
  { name: Type.Optional(PasskeyName) },
  { $id: 'PatchPasskeyBody', additionalProperties: false, description: 'Absent fields stay as they are' },
)
export type PatchPasskeyBody = Static<typeof PatchPasskeyBody>

/** As the Web Authentication standard defines it, so that browsers take it as it is. */
export const PasskeyOptions = Type.Object(
  { challenge: Type.String() },
  {
    examples: [
      {
        challenge: 'AbE0rIQm3Vn0Vg7cW5uKJp1xhQ0m5XhF1vU2yW6sM3n4o5p6qA',
        rpId: 'vedette.example.com',
        timeout: 300_000,
        userVerification: 'required',
      },
    ],
    $id: 'PasskeyOptions',
    additionalProperties: true,
    description:
      'JSON of the Web Authentication standard, for `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of a browser; the challenge in it is ' +
      'valid for five minutes and once',
  },
)
export type PasskeyOptions = Static<typeof PasskeyOptions>

export const PasskeySignInBody = Type.Object(
  { credential: Ref(GivenCredential), remember: Remember },
  { $id: 'PasskeySignInBody', additionalProperties: false },
)
export type PasskeySignInBody = Static<typeof PasskeySignInBody>
