export { chatAccountRoutes, chatActionRoutes } from './routes.ts'
export { deleteExpiredCodes } from './store.ts'
