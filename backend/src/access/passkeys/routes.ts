import {
  CreatePasskeyBody,
  PasskeyItem,
  PasskeyList,
  PasskeyListQuery,
  PasskeyOptions,
  PasskeyParams,
  PasskeyProofBody,
  PasskeySignInBody,
  PatchPasskeyBody,
  Ref,
  Session,
} from '@vedette/shared'
import { type RouteDeps, sendSession, userOf } from '../auth/index.ts'
import { type App, NoContent, originOf, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import {
  createPasskey,
  listPasskeys,
  type PasskeyDeps,
  removePasskey,
  renamePasskey,
  signIn,
  startPasskey,
  startSignIn,
} from './service.ts'

export interface PasskeyRouteDeps extends PasskeyDeps, RouteDeps {}

const tags = ['auth']
const WRONG_PASSWORD = 'No valid session, or the password is wrong'
const OF_PROVIDER = 'An API key, or a session that an identity provider opened'
const NO_NAME = 'VEDETTE_PUBLIC_URL has no host name or no HTTPS'
const DEMANDED = 'an organization demands a second factor that this session does not have'

export function passkeyRoutes(app: App, deps: PasskeyRouteDeps): void {
  signInRoutes(app, deps)
  listRoutes(app, deps)
  changeRoutes(app, deps)
}

function signInRoutes(app: App, deps: PasskeyDeps): void {
  app.post(
    '/v1/auth/passkeys/sign-in-options',
    {
      schema: {
        operationId: 'startPasskeySignIn',
        summary: 'Start a sign-in with a passkey',
        description: 'For `navigator.credentials.get`. Counts against the limit of reads.',
        tags,
        response: { 200: Ref(PasskeyOptions) },
      },
      // Needs no database.
      config: { access: 'open', idempotent: false, refuses: { 409: NO_NAME, 500: false, 503: false } },
    },
    () => startSignIn(deps),
  )

  app.post(
    '/v1/auth/passkeys/sign-in',
    {
      schema: {
        operationId: 'createSessionByPasskey',
        summary: 'Sign in with a passkey',
        description: 'It takes the place of password and code: authenticators verify their user.',
        tags,
        body: Ref(PasskeySignInBody),
        response: { 200: Ref(Session) },
      },
      config: {
        access: 'open',
        idempotent: false,
        refuses: { 401: 'The passkey is unknown or removed, or what it signed does not fit', 409: NO_NAME },
      },
    },
    async (request, reply) => sendSession(request, reply, await signIn(deps, request.body, originOf(request, reply))),
  )
}

function listRoutes(app: App, { principalOf, ...deps }: PasskeyRouteDeps): void {
  app.get(
    '/v1/auth/passkeys',
    {
      schema: {
        operationId: 'listPasskeys',
        summary: 'List your passkeys',
        description: 'Newest first.',
        tags,
        querystring: PasskeyListQuery,
        response: { 200: Ref(PasskeyList) },
      },
      config: { access: 'session' },
    },
    (request) => listPasskeys(deps.db, userOf(principalOf(request)), pageOf(request.query)),
  )

  app.patch(
    '/v1/auth/passkeys/:id',
    {
      schema: {
        operationId: 'renamePasskey',
        summary: 'Rename one of your passkeys',
        description: 'The name is for its user alone.',
        tags,
        params: PasskeyParams,
        body: Ref(PatchPasskeyBody),
        response: { 200: Ref(PasskeyItem) },
      },
      config: { access: 'session' },
    },
    (request) => renamePasskey(deps.db, userOf(principalOf(request)), decodeId('passkey', request.params.id), request.body),
  )
}

function changeRoutes(app: App, { principalOf, ...deps }: PasskeyRouteDeps): void {
  app.post(
    '/v1/auth/passkeys/registration-options',
    {
      schema: {
        operationId: 'startPasskey',
        summary: 'Start to add a passkey',
        description:
          'For `navigator.credentials.create`, valid in this session alone. A session that is older than 5 minutes also sends the ' +
          '`password`.',
        tags,
        body: Ref(PasskeyProofBody),
        response: { 200: Ref(PasskeyOptions) },
      },
      config: {
        access: 'session',
        idempotent: false,
        refuses: { 401: WRONG_PASSWORD, 403: OF_PROVIDER, 409: `${NO_NAME}, the user has 20 passkeys, or ${DEMANDED}` },
      },
    },
    (request, reply) => {
      const { password } = request.body
      return startPasskey(deps, userOf(principalOf(request)), password, originOf(request, reply))
    },
  )

  app.post(
    '/v1/auth/passkeys',
    {
      schema: {
        operationId: 'createPasskey',
        summary: 'Add a passkey',
        description: 'The present session counts as opened by it from then on.',
        tags,
        body: Ref(CreatePasskeyBody),
        response: { 201: Ref(PasskeyItem) },
      },
      config: {
        access: 'session',
        idempotent: false,
        refuses: { 403: OF_PROVIDER, 409: `The passkey is stored already, ${NO_NAME}, the user has 20, or ${DEMANDED}` },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createPasskey(deps, userOf(principalOf(request)), request.body, originOf(request, reply))),
  )

  app.delete(
    '/v1/auth/passkeys/:id',
    {
      schema: {
        operationId: 'removePasskey',
        summary: 'Remove one of your passkeys',
        description:
          'Ends the other sessions that it opened, and that in which it was added. A session that is older than 5 minutes also sends ' +
          'the `password`.',
        tags,
        params: PasskeyParams,
        body: Ref(PasskeyProofBody),
        response: { 204: NoContent },
      },
      config: {
        access: 'session',
        refuses: {
          401: WRONG_PASSWORD,
          403: OF_PROVIDER,
          409: `It is the last factor and an organization demands one, or ${DEMANDED}`,
        },
      },
    },
    async (request, reply) => {
      const id = decodeId('passkey', request.params.id)
      await removePasskey(deps, userOf(principalOf(request)), id, request.body.password, originOf(request, reply))
      return reply.code(204).send(null)
    },
  )
}
