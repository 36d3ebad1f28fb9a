/** What others are compared with: a plain Fastify that says hello. Prints its port; ends with its parent. */
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

const app = fastify()
app.get('/hello', async () => ({ hello: 'world' }))
await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`ready ${(app.server.address() as AddressInfo).port}`)
process.on('disconnect', () => process.exit())
