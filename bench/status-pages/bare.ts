/** What an answer costs at least: a bare Node server that sends the bytes of a file. Takes the file, prints `ready PORT`. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = readFileSync(process.argv[2] as string)
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'br', 'content-length': body.length }
const server = createServer((_request, response) => response.writeHead(200, headers).end(body))
server.listen(0, '127.0.0.1', () => console.log(`ready ${(server.address() as AddressInfo).port}`))
