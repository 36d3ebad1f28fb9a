export { type Language, LANGUAGES, languageOf, translate } from './translate.ts'
export { translateAnswer } from './translate-answer.ts'
