/**
 * The targets of case C2 of the faults: a process of its own. Prints `ready`, answers a message with a `BrokenWorld`, and ends with
 * its parent.
 */
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import { BROKEN_ANSWERS, type BrokenAnswer, cutAnswers, sendBroken } from '../backend/src/checks/probe/test/broken-answers.ts'
import { makeCertificate } from '../backend/src/checks/probe/test/certificates.ts'
import { answerOf, readRequest, startTarget } from '../backend/src/checks/probe/test/targets.ts'

export interface BrokenCase {
  name: string
  url: string
  assertions: BrokenAnswer['assertions']
  /** Outcome and code. */
  expected: string
}

export interface BrokenWorld {
  cases: readonly BrokenCase[]
  /** PEM of the authority that the good certificates are from. */
  authority: string
}

const DAY_MS = 86_400_000
const now = Date.now()
const authority = makeCertificate({ name: 'Bench authority', isAuthority: true })
const unknown = makeCertificate({ name: 'Unknown authority', isAuthority: true })
const wishes = { names: ['localhost'], issuer: authority }

/** Made once, outside of what is measured. */
const made = (answer: BrokenAnswer) => ({ ...answer, bytes: typeof answer.bytes === 'function' ? answer.bytes() : answer.bytes })

/** A stall takes its whole time limit, so not every byte is stalled at. */
const STALLS_EVERY = 16

async function plainCases(): Promise<BrokenCase[]> {
  const stalls = cutAnswers('stalls').filter((_, n) => n % STALLS_EVERY === 0)
  const answers = [...BROKEN_ANSWERS.map(made), ...cutAnswers('closed'), ...cutAnswers('reset'), ...stalls]
  const { url } = await startTarget((socket) =>
    readRequest(socket, (request) => sendBroken(socket, answers[Number(/ \/(\d+)/.exec(request)?.[1])] as BrokenAnswer)),
  )
  return answers.map(({ name, assertions, expected }, n) => ({ name, url: `${url}/${n}`, assertions, expected }))
}

async function tlsCase(name: string, options: TlsOptions, expected = 'down tls'): Promise<BrokenCase> {
  const { key, cert } = makeCertificate(wishes)
  const server: Server = createServer({ key, cert, ...options }, (socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(answerOf('hello')))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { name, url: `https://localhost:${(server.address() as AddressInfo).port}`, assertions: [], expected }
}

async function rawCase(name: string, onConnection: Parameters<typeof startTarget>[0], expected: string): Promise<BrokenCase> {
  const { port } = await startTarget(onConnection)
  return { name, url: `https://localhost:${port}`, assertions: [], expected }
}

const tlsCases = (): Promise<BrokenCase[]> =>
  Promise.all([
    tlsCase('TLS that is right', {}, 'up'),
    tlsCase(
      'an expired certificate',
      makeCertificate({ ...wishes, notBefore: new Date(now - 9 * DAY_MS), notAfter: new Date(now - DAY_MS) }),
    ),
    tlsCase('a certificate for another host', makeCertificate({ ...wishes, names: ['a.example'] })),
    tlsCase('a self-signed certificate', makeCertificate({ names: ['localhost'] })),
    tlsCase('a certificate of nobody known', makeCertificate({ ...wishes, issuer: unknown })),
    tlsCase('TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    tlsCase('TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    rawCase('a stall after the ClientHello', (socket) => void socket.resume(), 'down timeout'),
    rawCase('an end after the ClientHello', (socket) => void socket.once('data', () => socket.end()), 'down tls'),
    rawCase('a reset after the ClientHello', (socket) => void socket.once('data', () => socket.resetAndDestroy()), 'down tls'),
    rawCase('plain text in place of TLS', (socket) => void socket.once('data', () => socket.end(answerOf('hello'))), 'down tls'),
  ])

const world: BrokenWorld = { cases: [...(await plainCases()), ...(await tlsCases())], authority: authority.cert }
process.on('message', () => process.send?.(world))
process.on('disconnect', () => process.exit())
console.log('ready to be asked')
