export default { base: '/b/' }
