import { readFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:https'
import { connect } from 'node:tls'
import type { Answer } from './workbench.ts'

/** One request over HTTPS that trusts this authority alone; without a kept connection. */
export function callHttps(
  url: string,
  caFile: string,
  method: string,
  path: string,
  options: { headers?: object; body?: string | Buffer; localAddress?: string } = {},
): Promise<Omit<Answer, 'headers'> & { headers: Record<string, string> }> {
  const { headers = {}, body, localAddress } = options
  const type = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const settings: RequestOptions = { method, ca: readFileSync(caFile), agent: false, headers: { ...type, ...headers } }
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), { ...settings, ...(localAddress ? { localAddress } : {}) }, (incoming) => {
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8')
        const isJson = incoming.headers['content-type']?.includes('json')
        const body = isJson ? (JSON.parse(text) as unknown) : text
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers as Record<string, string>, body })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The serial number of the certificate that is served. */
export function servedSerial(url: string, caFile: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername: 'localhost', ca: readFileSync(caFile) }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
