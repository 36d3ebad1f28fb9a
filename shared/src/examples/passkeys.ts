import type {
  CreatePasskeyBody,
  GivenCredential,
  NewCredential,
  PasskeyItem,
  PasskeyList,
  PasskeyProofBody,
  PasskeySignInBody,
  PatchPasskeyBody,
} from '../access/passkeys.ts'
import { PAGE } from './common.ts'

const ID = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'
const CHALLENGE = 'AbE0rIQm3Vn0Vg7cW5uKJp1xhQ0m5XhF1vU2yW6sM3n4o5p6qA'
const CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'

const created: NewCredential = {
  key_handle: ID,
  client_data: CLIENT_DATA,
  attestation_object: 'o2NmbXRkbm9uZQ',
  transports: ['internal', 'hybrid'],
}
const given: GivenCredential = {
  key_handle: ID,
  client_data: CLIENT_DATA,
  authenticator_data: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
  signature: 'MEUCIQDO',
  user_handle: 'AZ9vsh8ndE-c4Tq8Kz3rLg',
}

const passkey: PasskeyItem = {
  id: 'pky_01m7ynqmvhef3v0qj0h7d9m2cs',
  name: 'Laptop',
  synced: true,
  created_at: '2026-11-21T09:06:55.000Z',
  last_used_at: '2026-11-22T07:30:12.000Z',
}

export const PASSKEY_EXAMPLES = {
  NewCredential: { example: created },
  GivenCredential: { example: given },
  PasskeyItem: { example: passkey },
  PasskeyList: { example: { passkeys: [passkey], ...PAGE } satisfies PasskeyList },
  PasskeyProofBody: { example: { password: 'correct horse battery' } satisfies PasskeyProofBody },
  CreatePasskeyBody: { example: { name: 'Laptop', credential: created } satisfies CreatePasskeyBody },
  PatchPasskeyBody: { example: { name: 'Phone' } satisfies PatchPasskeyBody },
  PasskeyOptions: {
    new: {
      challenge: CHALLENGE,
      rp: { id: 'vedette.example.com', name: 'Vedette' },
      user: { id: 'AZ9vsh8ndE-c4Tq8Kz3rLg', name: 'ada@example.com', displayName: 'ada@example.com' },
      pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [{ id: ID, transports: ['internal'], type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required', requireResidentKey: true },
      extensions: { credProps: true },
      hints: [],
    },
    example: {
      challenge: CHALLENGE,
      rpId: 'vedette.example.com',
      timeout: 300_000,
      userVerification: 'required',
    },
  },
  PasskeySignInBody: { example: { credential: given, remember: true } satisfies PasskeySignInBody },
}
