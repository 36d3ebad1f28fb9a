/** What the tests use of it; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Interaction {
    prompt: { name: string }
    session?: { accountId: string }
    params: Record<string, unknown>
  }

  interface Options {
    clients: object[]
    claims: Record<string, string[]>
    findAccount(context: unknown, sub: string): { accountId: string; claims(): object }
    pkce: { required(): boolean }
    features: Record<string, { enabled: boolean }>
    interactions: { url(context: unknown, interaction: { uid: string }): string }
    cookies: { keys: string[] }
    fetch(url: string, options: { method: string; headers: Record<string, string>; body: string }): Promise<Response>
  }

  export class Provider {
    constructor(issuer: string, options: Options)
    readonly Grant: new (of: {
      accountId: string
      clientId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
