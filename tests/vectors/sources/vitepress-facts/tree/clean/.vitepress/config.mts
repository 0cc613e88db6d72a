export default { cleanUrls: true, base: '/b/' }
