import { slug } from './slug'
export default { markdown: { anchor: { slugify: slug } } }
