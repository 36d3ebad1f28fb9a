export { type Language, languageOf, translate } from './translate.ts'
export { translateAnswer } from './translate-answer.ts'
